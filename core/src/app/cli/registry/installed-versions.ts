import { SymposiumError } from "../../../base/symposium-error.js";
import type { Installed } from "../../../agents/install/install-place.js";
import type { Installer } from "../../../agents/install/installer.js";
import type { EntryKind } from "../../../agents/registry/registry-entry.js";
import { byteCount } from "../../../agents/registry/download-size.js";
import { type InstallCall, type Installing, placeOf, withInstallers } from "./install.js";
import { installedJson, say } from "../output.js";

export function listInstalled({ isJson, log }: InstallCall): Promise<number> {
  return withInstallers(log, async (installing) => {
    const rows = [...(await rowsOf("agent", installing)), ...(await rowsOf("extension", installing))];
    if (isJson) {
      return say(
        JSON.stringify(rows.map(({ kind, installed, bytes }) => ({ kind, ...installedJson(installed), bytes }))),
      );
    }
    if (rows.length === 0) return say("Nothing is installed.");
    const width = Math.max(...rows.map(({ installed }) => installed.id.length));
    const lines = rows.map(({ kind, installed, bytes }) => {
      const line = `${installed.id.padEnd(width)}  ${detailsOf(installed, bytes)}`;
      return kind === "agent" ? line : `${line}  extension`;
    });
    return say(lines.join("\n"));
  });
}

interface VersionRow {
  readonly kind: EntryKind;
  readonly installed: Installed;
  readonly bytes: number;
}

async function rowsOf(kind: EntryKind, { installers, report }: Installing): Promise<readonly VersionRow[]> {
  const all = await installers[kind].list();
  const use = await installers[kind].diskUse();
  const usable = new Set(all.map(({ id }) => id));
  for (const id of use.keys()) {
    if (usable.has(id)) continue;
    const words = kind === "agent" ? id : `--extension ${id}`;
    report(`${id} is damaged: run \`symposium-acp-agent registry remove ${words}\`, and install it again.`);
  }
  return all.map((installed) => ({ kind, installed, bytes: use.get(installed.id) ?? 0 }));
}

export function changeVersion(
  name: string,
  { isJson, kind, log }: InstallCall,
  change: (installer: Installer, id: string) => Promise<Installed>,
): Promise<number> {
  return withInstallers(log, async (installing) => {
    const place = await placeOf(name, kind, installing);
    const installed = await change(installing.installers[place.kind], place.id);
    if (isJson) return say(JSON.stringify(installedJson(installed)));
    const state = installed.pinned === undefined ? "is not pinned" : "is pinned";
    return say(`${installed.id} ${installed.version} ${state}.`);
  });
}

export function remove(name: string, { isJson, kind, log }: InstallCall): Promise<number> {
  return withInstallers(log, async (installing) => {
    const { installers, signal } = installing;
    const { id, ...place } = await placeOf(name, kind, installing);
    if (!(await installers[place.kind].remove(id, signal))) {
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
