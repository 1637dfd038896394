import { createHash } from "node:crypto";
import {
  AgentRefusal,
  type AgentSession,
  canForkAtMessage,
  type Members,
  messageOf,
  type SessionSetup,
} from "@symposium-dev/core";
import type { BranchPoint } from "../../protocol/index.js";
import type { TabSession } from "./client-abilities.js";
import type { ConversationParts } from "./conversation-parts.js";
import type { RunningAgent } from "./running-agent.js";
import type { SessionOptions } from "./session-options.js";

/**
 * Opens a session that knows the conversation up to `point`, by a full fork or a fork at a message. Undefined if the agent can't or
 * refuses. Rejects if a sign-in is required.
 */
export async function openBranch(
  agent: RunningAgent,
  point: BranchPoint,
  setup: SessionSetup,
  listener: TabSession,
): Promise<AgentSession<TabSession> | undefined> {
  const { sessionId, message, isWhole } = point;
  const { client, initialized } = agent;
  if (sessionId === undefined || !initialized.canFork) return undefined;
  const ways: Members[] = [];
  if (isWhole) ways.push({});
  if (message && canForkAtMessage(initialized)) ways.push({ _meta: { jetbrains: { air: { fork: forkAt(message) } } } });
  for (const members of ways) {
    try {
      return await usable(agent, await client.forkSession(sessionId, { ...setup, members }, listener), setup, listener);
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal) || thrown.wantsSignIn || thrown.failure) throw thrown;
    }
  }
  return undefined;
}

/** Sets the mode, model and other options to those of the conversation that the tab continues. */
export async function chooseAgain(
  { branch, logger }: ConversationParts,
  options: SessionOptions,
  session: AgentSession<TabSession>,
  { client }: RunningAgent,
): Promise<void> {
  for (const { id, value } of branch?.options ?? []) {
    const now = options.view.find((option) => option.id === id);
    if (!now || now.value === value) continue;
    try {
      await options.change(client, session.id, id, value);
    } catch (thrown) {
      logger.warn("couldn't apply an option of the earlier conversation", { id, reason: messageOf(thrown) });
    }
  }
}

/** Returns the request members that fork at a message. Identifies the message by its text too, since a fork's message ids may differ. */
function forkAt({ id, text, occurrence }: NonNullable<BranchPoint["message"]>): Members {
  const hash = createHash("sha256").update(text).digest("hex");
  return { version: 1, messageId: id, messageFingerprint: `sha256:${hash}`, messageOccurrence: occurrence };
}

/**
 * Returns a session that can be used after a fork: Claude's adapter up to 0.75 returns a forked session that isn't open:
 * https://github.com/agentclientprotocol/claude-agent-acp/issues/1110
 */
async function usable(
  { client, initialized }: RunningAgent,
  session: AgentSession<TabSession>,
  setup: SessionSetup,
  listener: TabSession,
): Promise<AgentSession<TabSession>> {
  const { modes, configOptions } = session.opened;
  if (modes || configOptions || !initialized.canResume) return session;
  return client.resumeSession(session.id, setup, listener);
}
