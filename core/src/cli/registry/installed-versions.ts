import { SymposiumError } from "../../base/symposium-error.js";
import type { Installed } from "../../node/install/installed.js";
import type { Installer } from "../../node/install/installer.js";
import { byteCount } from "./byte-count.js";
import type { InstallCall } from "./install.js";
import { withInstaller } from "./installing.js";
import { installedJson, say } from "./output.js";

/** `registry installed`: what is installed, in which version, and how much of the disk it takes with its older one. */
export function listInstalled({ isJson, log }: InstallCall): Promise<number> {
  return withInstaller(log, async ({ installer, report }) => {
    const all = await installer.list();
    const use = await installer.diskUse();
    const usable = new Set(all.map(({ id }) => id));
    for (const id of use.keys()) {
      if (usable.has(id)) continue;
      report(`${id} is damaged: run \`symposium-acp-agent registry remove ${id}\`, and install it again.`);
    }
    const rows = all.map((installed) => ({ installed, bytes: use.get(installed.id) ?? 0 }));
    if (isJson) return say(JSON.stringify(rows.map((row) => ({ ...installedJson(row.installed), bytes: row.bytes }))));
    if (rows.length === 0) return say("Nothing is installed.");
    const width = Math.max(...all.map(({ id }) => id.length));
    return say(
      rows.map((row) => `${row.installed.id.padEnd(width)}  ${detailsOf(row.installed, row.bytes)}`).join("\n"),
    );
  });
}

/** `registry pin`, `unpin` and `rollback`: changes which version is current, or whether it stays. */
export function changeVersion(
  { isJson, log }: InstallCall,
  change: (installer: Installer) => Promise<Installed>,
): Promise<number> {
  return withInstaller(log, async ({ installer }) => {
    const installed = await change(installer);
    if (isJson) return say(JSON.stringify(installedJson(installed)));
    const state = installed.pinned === undefined ? "is not pinned" : "is pinned";
    return say(`${installed.id} ${installed.version} ${state}.`);
  });
}

/** `registry remove`: every version of `id`. */
export function remove(id: string, { isJson, log }: InstallCall): Promise<number> {
  return withInstaller(log, async ({ installer, signal }) => {
    if (!(await installer.remove(id, signal))) {
      throw new SymposiumError(
        "not-installed",
        `${id} is not installed.`,
        "Run `symposium-acp-agent registry installed` for the list.",
      );
    }
    return say(isJson ? JSON.stringify({ id, removed: true }) : `${id} is removed.`);
  });
}

function detailsOf({ version, pinned, previous }: Installed, bytes: number): string {
  return [
    version,
    ...(pinned === undefined ? [] : [pinned === version ? "pinned" : `pinned to ${pinned}`]),
    ...(previous === undefined ? [] : [`before: ${previous}`]),
    byteCount(bytes),
  ].join("  ");
}
