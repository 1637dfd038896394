import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { Installed } from "../../../agents/install/install-place.js";
import type { MergedCatalogues, FoundEntry } from "../../../agents/registry/node/merged-catalogues.js";
import { untilAborted } from "../../../base/until-aborted.js";
import type { EntryKind } from "../../../agents/registry/registry-entry.js";
import { type InstallCall, roleOf, type Installing, placeOf, withInstallers } from "./install.js";
import { installedJson, say } from "../output.js";
import { startOf } from "./resolve.js";
import { waitingFor } from "../waiting-line.js";

interface Updated {
  readonly before: string;
  readonly installed: Installed;
}

/**
 * `registry update [ID]`: updates one or all installations to the registry's version. Reports a failed update on stderr, continues with the
 * others, and exits with 1. Skips installations that aren't listed.
 */
export async function update(
  registry: MergedCatalogues,
  id: string | undefined,
  { isJson, kind, log }: InstallCall,
): Promise<number> {
  return withInstallers(log, async (installing) => {
    const { signal, report } = installing;
    const targets = id === undefined ? await allInstalled(installing) : [await theInstalled(installing, id, kind)];
    const updated: Updated[] = [];
    let failures = 0;
    // Loads the list once, so that its warnings appear once.
    if (targets.length > 0) {
      const listed = untilAborted(registry.list("agent"), signal);
      (await waitingFor("Fetching the list", listed)).warnings.forEach(report);
    }
    for (const { kind, target } of targets) {
      try {
        updated.push({ before: target.version, installed: await updateOne(registry, kind, target, installing) });
      } catch (failure) {
        if (signal.aborted || id !== undefined) throw failure;
        if (!isUnlisted(failure)) failures++;
        report(`${target.id}: ${messageOf(failure)}`);
      }
    }
    if (isJson)
      await say(JSON.stringify(updated.map((one) => ({ ...installedJson(one.installed), before: one.before }))));
    else if (targets.length === 0) await say("Nothing is installed.");
    else for (const one of updated) await say(lineOf(one));
    return failures === 0 ? 0 : 1;
  });
}

interface UpdateTarget {
  readonly kind: EntryKind;
  readonly target: Installed;
}

async function allInstalled({ installers }: Installing): Promise<readonly UpdateTarget[]> {
  const [agents, extensions] = await Promise.all([installers.agent.list(), installers.extension.list()]);
  return [
    ...agents.map((target) => ({ kind: "agent", target }) as const),
    ...extensions.map((target) => ({ kind: "extension", target }) as const),
  ];
}

async function updateOne(
  registry: MergedCatalogues,
  kind: EntryKind,
  target: Installed,
  { installers, report: _, ...options }: Installing,
): Promise<Installed> {
  const found = await findListed(registry, kind, target.id);
  const start = startOf(found);
  // The user has since installed the program on PATH and updates it there.
  if (start.kind === "command") return target;
  // Preserves the installed id, which may be an alias of the listed id.
  return installers[kind].update({ ...start.plan, id: target.id }, { ...options, role: roleOf(kind) });
}

async function findListed(registry: MergedCatalogues, kind: EntryKind, id: string): Promise<FoundEntry> {
  try {
    return await registry.find(kind, id);
  } catch (failure) {
    if (!isUnlisted(failure)) throw failure;
    const hint = "To update it, install it again from its description.";
    throw new SymposiumError("unknown-agent", `"${id}" isn't in any list.`, hint, { cause: failure });
  }
}

function isUnlisted(failure: unknown): boolean {
  return failure instanceof SymposiumError && ["unknown-agent", "unknown-proxy"].includes(failure.code);
}

async function theInstalled(installing: Installing, name: string, preferred: EntryKind): Promise<UpdateTarget> {
  const { kind, id } = await placeOf(name, preferred, installing);
  const target = await installing.installers[kind].installed(id);
  if (target) return { kind, target };
  throw new SymposiumError(
    "not-installed",
    `${id} is not installed.`,
    `Run \`symposium-acp-agent registry install ${id}\`.`,
  );
}

function lineOf({ before, installed: { id, version, pinned } }: Updated): string {
  if (before !== version) return `${id}: ${before} -> ${version}`;
  return pinned === undefined ? `${id}: ${version} is the newest` : `${id}: ${version} is pinned`;
}
