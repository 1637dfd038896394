import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Unchecked } from "../../../conductor/client/unchecked.js";
import { stringOf } from "../../../base/rpc/json.js";

/** Kinds of updates with parts of a model's reply. */
const replyKinds = new Set<unknown>(["agent_message_chunk", "agent_thought_chunk", "tool_call"]);

/**
 * Counts the agent's turns: replies of its model, with all tool calls that a reply requests. ACP doesn't report model requests, so a turn
 * starts at the first part of a reply after all tool calls have ended. An agent that reports the calls of one reply one after another
 * therefore has a turn for each call.
 */
export class AgentTurns {
  readonly #running = new Set<string>();
  #count = 0;
  #isOpen = false;

  /** Adds an update of the session. Returns the number of turns, including the running one. */
  add(update: Unchecked<SessionUpdate>): number {
    const { sessionUpdate: kind, toolCallId, status } = update as Readonly<Record<string, unknown>>;
    if (replyKinds.has(kind) && !this.#isOpen) {
      this.#isOpen = true;
      this.#count++;
    }
    const id = stringOf(toolCallId);
    if (id === undefined) return this.#count;
    if (kind === "tool_call") this.#running.add(id);
    const hasEnded = status === "completed" || status === "failed";
    if (hasEnded && this.#running.delete(id) && this.#running.size === 0) this.#isOpen = false;
    return this.#count;
  }
}
