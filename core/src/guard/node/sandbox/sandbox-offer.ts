import { SandboxOffers } from "./sandbox-offers.js";
import { findSandbox, probeSandbox, type SandboxState } from "./probe.js";
import { refusedRoot } from "./sandbox-paths.js";
import { configFolder } from "../../../base/node/own-program.js";
import type { Component } from "../../../settings/component-spec.js";
import type { ProtectionLevel } from "../../../base/safety/protection-level.js";
import { ProtectionLevels, idOfAgent, rowOfAgent } from "../protection-levels.js";
import { findNamedAgent } from "../../../agents/node/find-agent.js";

/** The sandbox, of which a user can be told. */
export interface SandboxOffer {
  /** Under which guard.jsonc would have the agent. */
  readonly id: string;
  /** The agent, for people. */
  readonly name: string;
  /** True for one caller of all processes, ever: only that one tells. */
  claim(): boolean;
  /** To be called where it was claimed, and nobody has read it: it is made again next time. */
  takeBack(): void;
}

interface OfferOptions {
  /** Where the agent works. */
  readonly folder: string;
  /** The setting `guard`. */
  readonly usual: ProtectionLevel;
  readonly probe?: (config: string) => SandboxState | Promise<SandboxState>;
}

/**
 * What there is to tell the user of an agent about the sandbox, once: undefined where nobody has tried this agent in it, the user has said how
 * the agent is held, it was told before, or a program does not start in a sandbox here, which is tried last. Not told to root, for whom
 * it holds less, nor of a sandbox that is not tested. Rejects where the agent is not known.
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

/** As {@link SandboxOffer.takeBack}, for an offer that another process has made. Rejects where the agent is not known. */
export async function takeBackOffer(agent: Component): Promise<void> {
  const known = await findNamedAgent(agent);
  new SandboxOffers(configFolder()).takeBack(idOfAgent(known));
}

/** Nothing is started for root, who is not told. */
async function triedSandbox(config: string): Promise<SandboxState> {
  const state = findSandbox();
  return state.isThere && state.isRoot ? state : probeSandbox(config);
}
