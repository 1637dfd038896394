import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import type { Installed } from "../../node/install/installed.js";
import type { AgentRegistry } from "../../node/registry/agent-registry.js";
import { untilAborted } from "../../node/install/run-tool.js";
import { type InstallCall, roleOf } from "./install.js";
import { type Installing, withInstaller } from "./installing.js";
import { findEither } from "./open-registry.js";
import { installedJson, say } from "./output.js";
import { startOf } from "./resolve.js";

/** An installation before and after its update. */
interface Updated {
  readonly before: string;
  readonly installed: Installed;
}

/**
 * `registry update [ID]`: what the registry offers now of one, or of all installed. One that fails does not keep the
 * others from being updated; it is a line on stderr, and the exit code 1. What is in no list stays as it is.
 */
export async function update(
  registry: AgentRegistry,
  id: string | undefined,
  { isJson, log }: InstallCall,
): Promise<number> {
  return withInstaller(log, async (installing) => {
    const { installer, signal, report } = installing;
    const targets = id === undefined ? await installer.list() : [await theInstalled(installing, id)];
    const updated: Updated[] = [];
    let failures = 0;
    // The list is fetched once, and what is wrong with it is said once.
    if (targets.length > 0) (await untilAborted(registry.list("agent"), signal)).warnings.forEach(report);
    for (const target of targets) {
      try {
        updated.push({ before: target.version, installed: await updateOne(registry, target, installing) });
      } catch (failure) {
        if (signal.aborted || id !== undefined) throw failure;
        if (!isUnlisted(failure)) failures++;
        report(`${target.id}: ${messageOf(failure)}`);
      }
    }
    if (isJson) say(JSON.stringify(updated.map((one) => ({ ...installedJson(one.installed), before: one.before }))));
    else if (targets.length === 0) say("Nothing is installed.");
    else for (const one of updated) say(lineOf(one));
    return failures === 0 ? 0 : 1;
  });
}

async function updateOne(
  registry: AgentRegistry,
  target: Installed,
  { installer, report: _, ...options }: Installing,
): Promise<Installed> {
  const { kind, found } = await findListed(registry, target.id);
  const start = startOf(found);
  // Its program has come to PATH since, and updates itself there.
  if (start.kind === "command") return target;
  return installer.update(start.plan, { ...options, role: roleOf(kind) });
}

async function findListed(registry: AgentRegistry, id: string): ReturnType<typeof findEither> {
  try {
    return await findEither(registry, id, () => undefined);
  } catch (failure) {
    if (!isUnlisted(failure)) throw failure;
    const hint = "To update it, install it again from its description.";
    throw new SymposiumError("unknown-agent", `"${id}" is in no list.`, hint, { cause: failure });
  }
}

function isUnlisted(failure: unknown): boolean {
  return failure instanceof SymposiumError && failure.code === "unknown-agent";
}

async function theInstalled({ installer }: Installing, id: string): Promise<Installed> {
  const installed = await installer.installed(id);
  if (installed) return installed;
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
