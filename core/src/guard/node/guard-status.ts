import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../base/symposium-error.js";
import type { GuardRecord } from "../guard-record.js";
import { GuardFiles, guardFileName, type GuardRules } from "./guard-rule-files.js";
import { GuardLog } from "./guard-log.js";
import { probeSandbox, type SandboxState } from "./sandbox/probe.js";
import { refusedRoot } from "./sandbox/sandbox-paths.js";
import { type PlainWords, plainWords } from "../rule-descriptions.js";
import { type RefusedHost, refusedHosts } from "../refused-hosts.js";
import { configFolder } from "../../base/node/own-program.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import { eliza } from "../../agents/registry/built-in-agents.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { byOrganisation, type LowestLevel } from "../../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../../settings/managed-policy/node/system-policy.js";
import { ProtectionLevels, idOfAgent, isAgentNamed, namesOf, rowOfAgent } from "./protection-levels.js";
import { findNamedAgent, readAgentText } from "../../agents/node/find-agent.js";

interface HeldAgent extends PlainWords {
  /** The agent, as the caller named it. */
  readonly agent: string;
  /** Id of the agent in guard.jsonc. */
  readonly id: string;
  /** All names that guard.jsonc may use for the agent; the first is the agent's id. */
  readonly names: readonly string[];
  readonly level: ProtectionLevel;
  /** Location (`FILE:LINE`) of the entry that sets the level; absent if the default level applies. */
  readonly place?: string;
  /** Lowest level that the agent can have; absent if the organisation sets none. */
  readonly lowest?: LowestLevel;
  /** Whether Symposium's sandbox has been tested with the agent. */
  readonly isKnown: boolean;
  readonly isBuiltIn: boolean;
  /** Why the agent can't run sandboxed in this folder, and what the user can do about it; absent if the agent can. */
  readonly missing?: { readonly reason: string; readonly remedy: string };
}

interface GuardStatus extends Pick<GuardRules, "rules" | "budgets" | "problems"> {
  readonly folder: string;
  /** Path of the user's guard.jsonc, which may not exist. */
  readonly file: string;
  readonly sandbox: SandboxState;
  readonly agents: readonly (HeldAgent | { readonly agent: string; readonly problem: string })[];
  /** The organisation's policy files, which contain some of the rules. */
  readonly organisation: readonly string[];
  /** Latest decisions of the guard, newest first. */
  readonly decisions: readonly GuardRecord[];
  readonly refused: readonly RefusedHost[];
}

/** Number of the guard's latest decisions that are searched for refused hosts. */
const searched = 2_000;

/**
 * Returns the guard's status in a folder. `agents` are named as in `--agent`; `usual` is the level of agents that have no entry in
 * guard.jsonc.
 */
export async function guardStatus(
  agents: readonly string[],
  {
    folder,
    usual,
    decisions,
  }: { readonly folder: string; readonly usual: ProtectionLevel; readonly decisions: number },
): Promise<GuardStatus> {
  const config = configFolder();
  const [policy, found, levels, records, sandbox] = await Promise.all([
    systemPolicy(),
    new GuardFiles(config).rulesFor(folder, () => true),
    ProtectionLevels.read(usual),
    new GuardLog(config).last(searched),
    probeSandbox(config),
  ]);
  const facts = { ...found, folder, config, levels, sandbox };
  const held = async (agent: string): Promise<GuardStatus["agents"][number]> => {
    try {
      return { agent, ...(await heldAgent(readAgentText(agent), facts)) };
    } catch (error) {
      return { agent, problem: messageOf(error) };
    }
  };
  return {
    folder,
    file: join(config, guardFileName),
    organisation: policy?.files.map(({ file: one }) => one) ?? [],
    sandbox,
    agents: await Promise.all(agents.map(held)),
    ...{ rules: found.rules, budgets: found.budgets, problems: [...found.problems, ...found.notes] },
    decisions: records.slice(-decisions).reverse(),
    refused: refusedHosts(
      records,
      found.rules.filter(({ agent }) => agent === undefined),
    ),
  };
}

/** Returns the status of one agent without the logged decisions. Rejects if the agent is unknown or can't start on this machine. */
export async function agentStatus(
  agent: Component,
  { folder, usual }: { readonly folder: string; readonly usual: ProtectionLevel },
): Promise<Omit<HeldAgent, "agent">> {
  const config = configFolder();
  const [found, levels, sandbox] = await Promise.all([
    new GuardFiles(config).rulesFor(folder, () => true),
    ProtectionLevels.read(usual),
    probeSandbox(config),
  ]);
  return heldAgent(agent, { ...found, folder, config, levels, sandbox });
}

interface FolderFacts extends Pick<GuardRules, "rules" | "budgets"> {
  readonly folder: string;
  readonly config: string;
  readonly levels: ProtectionLevels;
  readonly sandbox: SandboxState;
}

async function heldAgent(
  component: Component,
  { folder, config, levels, sandbox, rules: all, budgets }: FolderFacts,
): Promise<Omit<HeldAgent, "agent">> {
  const known = await findNamedAgent(component);
  const isBuiltIn = known === component;
  const rules = all.filter((rule) => rule.agent === undefined || isAgentNamed(known, rule.agent));
  const [level, row] = [levels.of(known), rowOfAgent(known)];
  const place = levels.entryOf(known)?.place;
  const refusal = refusedRoot(folder, config);
  const missing = !sandbox.isThere
    ? { reason: sandbox.reason, remedy: sandbox.remedy }
    : refusal === undefined
      ? undefined
      : { reason: refusal.replace(/\.$/, ""), remedy: "" };
  const name = row?.name ?? (isBuiltIn && known.name === eliza.id ? eliza.name : known.name);
  const words = plainWords({ name, level, isBuiltIn, row, rules, budgets, missing, folder: shown(folder) });
  const { lowest } = levels;
  const notes = isBuiltIn
    ? []
    : [
        ...(level === "sandbox" ? sandboxNotes(sandbox, row) : []),
        ...(lowest ? [`The lowest level is "${lowest.level}", ${byOrganisation(lowest.file)}.`] : []),
      ];
  return {
    id: idOfAgent(known),
    names: namesOf(known),
    level,
    ...(place !== undefined && { place }),
    ...(lowest && { lowest }),
    isKnown: row?.sandbox !== undefined,
    isBuiltIn,
    ...(missing && { missing }),
    ...words,
    ...(notes.length > 0 && { summary: [words.summary, ...notes].join(" ") }),
  };
}

/** Returns sentences that tell the user about the sandbox's limits on this system. */
export function sandboxNotes(sandbox: SandboxState, row: AgentRow | undefined): readonly string[] {
  if (!sandbox.isThere) return [];
  const isClosed = sandbox.kind === "seatbelt" && row?.sandbox?.opensPort === true;
  return [
    ...(isClosed
      ? [`${row.name} does not work in the sandbox: it needs to open a port, which the macOS sandbox doesn't allow.`]
      : []),
    ...(sandbox.note === undefined ? [] : [`That is ${sandbox.note}.`]),
  ];
}

function shown(folder: string): string {
  return folder.startsWith(`${homedir()}/`) ? `~${folder.slice(homedir().length)}` : folder;
}
