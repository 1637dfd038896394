import type { FoundEntry } from "../../node/registry/agent-registry.js";
import type { InstallPlan } from "../../registry/install-plan.js";
import type { EntryKind } from "../../registry/registry-entry.js";
import { canonicalAgentId } from "../../registry/built-in-agents.js";
import type { InstallCall } from "./install.js";
import { withInstallers } from "./installing.js";
import { say } from "./output.js";
import { startOf } from "./resolve.js";

/**
 * `registry plan`: what starting something would need, so that a program can ask its user before anything is fetched.
 * Installs nothing. As JSON `{id, name, needsInstallation, what?}`; `what` says in words what would be fetched.
 */
export async function plan(found: FoundEntry, kind: EntryKind, { isJson, log }: InstallCall): Promise<number> {
  const start = startOf(found);
  const id = found.kind === "entry" ? found.entry.id : found.name;
  const name = found.kind === "entry" ? found.entry.name : found.name;
  if (start.kind === "command") return said({ id, name, needsInstallation: false }, isJson);
  const isInstalled = await withInstallers(log, async ({ installers }) => {
    const ids = kind === "agent" ? [start.plan.id, canonicalAgentId(start.plan.id)] : [start.plan.id];
    const held = await Promise.all(ids.map((each) => installers[kind].holds(each)));
    return held.includes(true);
  });
  if (isInstalled) return said({ id: start.plan.id, name, needsInstallation: false }, isJson);
  return said({ id: start.plan.id, name, needsInstallation: true, what: wordsOf(start.plan) }, isJson);
}

interface Needs {
  readonly id: string;
  readonly name: string;
  readonly needsInstallation: boolean;
  readonly what?: string;
}

function said(needs: Needs, isJson: boolean): number {
  if (isJson) return say(JSON.stringify(needs));
  return say(
    needs.what === undefined ? `${needs.id} needs no installation.` : `${needs.id} would be installed: ${needs.what}.`,
  );
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
