import { AgentRefusal } from "./agent-failure.js";
import type { ConnectedAgent } from "./agent-supervisor.js";
import { call } from "./call.js";
import { authRequiredCode, objectOf, stringOf, wire } from "./wire.js";

/** A session as its opening left it. */
export interface OpenedSession {
  readonly sessionId: string;
  /** The answer: modes, models, options. */
  readonly result: unknown;
  /** The agent remembers the conversation so far. */
  readonly isContinued: boolean;
  /** Why it does not, where it was asked to. */
  readonly lost?: string;
}

export interface SessionPlace {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** More folders, where the agent takes them. */
  readonly additionalDirectories: readonly string[];
}

interface ReopenHooks {
  /** Before an old session is asked for: from now on updates of it may come. `isReplay`: all of its history will. */
  expect(sessionId: string, isReplay: boolean): void;
  /** It did not come back. */
  giveUp(sessionId: string): void;
}

/** `session/new`. A refusal for want of a sign-in rejects like every other. */
export async function newSession(agent: ConnectedAgent, place: SessionPlace): Promise<OpenedSession> {
  const result = await call(agent.process.peer, wire.sessionNew, paramsOf(agent, place));
  const sessionId = stringOf(objectOf(result)?.["sessionId"]);
  if (sessionId === undefined) throw new AgentRefusal({ message: "The agent opened a session without an id." });
  return { sessionId, result, isContinued: false };
}

/**
 * Takes an old session up again: with `session/resume`, else `session/load`, whichever the agent has; else a new
 * session, and why. Refusals for want of a sign-in reject.
 */
export async function reopenSession(
  agent: ConnectedAgent,
  place: SessionPlace,
  sessionId: string,
  hooks: ReopenHooks,
): Promise<OpenedSession> {
  const { canResume, canLoad } = agent.initialized;
  const methods = [...(canResume ? [wire.sessionResume] : []), ...(canLoad ? [wire.sessionLoad] : [])];
  let lost = "It cannot take up earlier sessions.";
  for (const method of methods) {
    hooks.expect(sessionId, method === wire.sessionLoad);
    try {
      const result = await call(agent.process.peer, method, { sessionId, ...paramsOf(agent, place) });
      return { sessionId, result, isContinued: true };
    } catch (thrown) {
      hooks.giveUp(sessionId);
      if (!(thrown instanceof AgentRefusal) || thrown.code === authRequiredCode || thrown.failure) throw thrown;
      lost = thrown.message;
    }
  }
  return { ...(await newSession(agent, place)), lost };
}

function paramsOf({ initialized }: ConnectedAgent, { cwd, additionalDirectories }: SessionPlace): object {
  const takesMore = initialized.takesAdditionalDirectories && additionalDirectories.length > 0;
  return { cwd, mcpServers: [], ...(takesMore ? { additionalDirectories } : {}) };
}
