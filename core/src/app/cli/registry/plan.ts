import type { FoundEntry } from "../../../agents/registry/node/merged-catalogues.js";
import type { InstallPreview } from "../../../agents/install/install-source.js";
import { shippedSize, sizeWords } from "../../../agents/registry/download-size.js";
import type { InstallPlan } from "../../../agents/registry/start-plan.js";
import type { EntryKind } from "../../../agents/registry/registry-entry.js";
import { canonicalAgentId } from "../../../agents/registry/built-in-agents.js";
import { type InstallCall, withInstallers } from "./install.js";
import { say } from "../output.js";
import { startOf } from "./resolve.js";

/**
 * `registry plan`: reports the downloads needed to start an entry, so that a program can ask its user first. Installs nothing.
 * JSON: `{id, name, needsInstallation, what?, size?, bytes?, node?, warning?}`. `what` and `size` describe the download. `node` is the
 * supported version range. `warning` explains why the entry wouldn't run on this machine.
 */
export async function plan(
  found: FoundEntry,
  kind: EntryKind,
  { isJson, log, isOffline }: InstallCall & { readonly isOffline: boolean },
): Promise<number> {
  const start = startOf(found);
  const id = found.kind === "entry" ? found.entry.id : found.name;
  const name = found.kind === "entry" ? found.entry.name : found.name;
  if (start.kind === "command") return said({ id, name, needsInstallation: false }, isJson);
  const preview = await withInstallers(log, async ({ installers, signal }): Promise<InstallPreview | "installed"> => {
    const ids = kind === "agent" ? [start.plan.id, canonicalAgentId(start.plan.id)] : [start.plan.id];
    const held = await Promise.all(ids.map((each) => installers[kind].holds(each)));
    if (held.includes(true)) return "installed";
    return isOffline ? { size: shippedSize(start.plan) } : installers[kind].preview(start.plan, signal);
  });
  if (preview === "installed") return said({ id: start.plan.id, name, needsInstallation: false }, isJson);
  const { size, node, problem } = preview;
  const needs: Needs = {
    id: start.plan.id,
    name,
    needsInstallation: true,
    what: wordsOf(start.plan),
    size: sizeWords(size),
    ...("bytes" in size && { bytes: size.bytes }),
    ...(node !== undefined && { node }),
    ...(problem && { warning: problem.text }),
  };
  return said(needs, isJson);
}

interface Needs {
  readonly id: string;
  readonly name: string;
  readonly needsInstallation: boolean;
  readonly what?: string;
  readonly size?: string;
  readonly bytes?: number;
  readonly node?: string;
  readonly warning?: string;
}

function said(needs: Needs, isJson: boolean): Promise<number> {
  if (isJson) return say(JSON.stringify(needs));
  const { id, what, size = "", node, warning } = needs;
  if (what === undefined) return say(`${id} needs no installation.`);
  const lines = [
    `${id} would be installed: ${what}, ${size}.`,
    ...(node === undefined ? [] : [`It runs on Node.js ${node}.`]),
    ...(warning === undefined ? [] : [`Warning: ${warning}`]),
  ];
  return say(lines.join("\n"));
}

function wordsOf(plan: InstallPlan): string {
  switch (plan.kind) {
    case "npm":
      return `the npm package ${plan.package}`;
    case "pip":
      return `the Python package ${plan.package}`;
    case "cargo":
      return `the Rust crate ${plan.crate}${plan.version === undefined ? "" : ` ${plan.version}`}`;
    case "archive":
      return `the program at ${plan.url}`;
  }
}
