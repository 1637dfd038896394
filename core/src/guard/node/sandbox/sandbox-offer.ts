import { SandboxOffers } from "./sandbox-offers.js";
import { findSandbox, probeSandbox, type SandboxState } from "./probe.js";
import { refusedRoot } from "./sandbox-paths.js";
import { configFolder } from "../../../base/node/own-program.js";
import type { Component } from "../../../settings/component-spec.js";
import type { ProtectionLevel } from "../../../base/safety/protection-level.js";
import { ProtectionLevels, idOfAgent, rowOfAgent } from "../protection-levels.js";
import { findNamedAgent } from "../../../agents/node/find-agent.js";

export interface SandboxOffer {
  /** Id of the agent in guard.jsonc. */
  readonly id: string;
  readonly name: string;
  /** Returns true for exactly one caller across all processes. Only that caller shows the hint. */
  claim(): boolean;
  /** Undoes the claim if nobody has read the hint, so that the hint appears again. */
  takeBack(): void;
}

interface OfferOptions {
  readonly folder: string;
  /** Value of the setting `guard`. */
  readonly usual: ProtectionLevel;
  readonly probe?: (config: string) => SandboxState | Promise<SandboxState>;
}

/**
 * Returns the one-time hint about an agent's sandbox. Undefined if the agent is untested, the user has set a level, the hint was shown, the
 * sandbox is untested or doesn't start, or the user is root. Rejects if the agent is unknown.
 */
export async function sandboxOffer(
  agent: Component,
  { folder, usual, probe = triedSandbox }: OfferOptions,
): Promise<SandboxOffer | undefined> {
  const config = configFolder();
  const known = await findNamedAgent(agent);
  const [row, id, made] = [rowOfAgent(known), idOfAgent(known), new SandboxOffers(config)];
  if (usual !== "rules" || row?.sandbox === undefined || made.has(id)) return undefined;
  const levels = await ProtectionLevels.read(usual);
  if (levels.entryOf(known) || refusedRoot(folder, config) !== undefined) return undefined;
  const state = await probe(config);
  if (!state.isThere || state.isRoot || state.note !== undefined) return undefined;
  return { id, name: row.name, claim: () => made.claim(id), takeBack: () => made.takeBack(id) };
}

/** Undoes a claim that another process made, like {@link SandboxOffer.takeBack}. Rejects if the agent is unknown. */
export async function takeBackOffer(agent: Component): Promise<void> {
  const known = await findNamedAgent(agent);
  new SandboxOffers(configFolder()).takeBack(idOfAgent(known));
}

/** Tests the sandbox, except for root, who gets no hint. */
async function triedSandbox(config: string): Promise<SandboxState> {
  const state = findSandbox();
  return state.isThere && state.isRoot ? state : probeSandbox(config);
}
