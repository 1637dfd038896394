import { contextProxy } from "../../src/context/context-proxy.js";
import type { ContextSession, ContextSource, Contribution } from "../../src/context/contribution.js";
import type { ReadProject } from "../../src/settings/project/project-settings.js";
import { Notification } from "../../src/base/rpc/message.js";
import type { ScriptedClientOptions } from "../../testing/scripted-client.js";
import { onStage, PlayedAgent, type Stage } from "../conductor/chain/chain-fixture.js";

interface SetUp {
  readonly agent?: PlayedAgent;
  readonly client?: ScriptedClientOptions;
  readonly sources?: readonly ContextSource[];
  readonly limit?: number;
  readonly openLimitMs?: number;
}

/** Runs `body` with a chain whose last proxy is the context's. */
export function withContext(
  { agent = new PlayedAgent(), client = {}, sources = [], limit, openLimitMs }: SetUp,
  body: (stage: Stage, agent: PlayedAgent) => Promise<void>,
): Promise<void> {
  const lastProxy = contextProxy({
    sources,
    readProject: withoutProject,
    ...(openLimitMs !== undefined && { openLimitMs }),
    ...(limit !== undefined && { maxInstructionBytes: limit }),
  });
  return onStage({ agent, client, conductor: { lastProxies: [lastProxy] } }, (stage) => body(stage, agent));
}

/** A trusted folder without a configuration of its own. */
export const withoutProject: ReadProject = (cwd) =>
  Promise.resolve({
    folder: cwd,
    isTrusted: true,
    servers: [],
    disabledServers: [],
    instructionFiles: [],
    disabledTools: [],
    skillFolders: [],
  });

export function source(contribution: Contribution, name = "rules", sessions: ContextSession[] = []): ContextSource {
  return {
    name,
    open: (session) => {
      sessions.push(session);
      return Promise.resolve(contribution);
    },
  };
}

export const rule = { title: "AGENTS.md", text: "Use tabs." };

export const taking = (sessionCapabilities: unknown, answers = {}): PlayedAgent =>
  new PlayedAgent({ initialize: { protocolVersion: 1, agentCapabilities: { sessionCapabilities } }, ...answers });

export const answering = (answers: ConstructorParameters<typeof PlayedAgent>[0] = {}): PlayedAgent =>
  new PlayedAgent({ "session/prompt": { stopReason: "end_turn" }, ...answers });

/** The parameters of the requests of `method` that the agent got. */
export function got({ peer }: PlayedAgent, method: string): (Record<string, unknown> | undefined)[] {
  return peer.received.filter((one) => one.method === method).map(({ params }) => params?.object);
}

export const text = (words: string): unknown => ({ type: "text", text: words });

export function update(agent: PlayedAgent, sessionId: string, inner: unknown): void {
  agent.client.notify(Notification.of("session/update", { sessionId, update: inner }));
}
