import type { PermissionOption, SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { acpMethods } from "../../acp/methods.js";
import { untilAborted } from "../../base/until-aborted.js";
import { Notification, Request } from "../../rpc/message.js";
import { ask, type Peer } from "../../rpc/peer.js";
import type { ElizaSession } from "./eliza-session.js";
import { type Decision, isAllowed, onceOptions, parseDecision } from "./permission.js";
import type { SessionServers } from "./session-servers.js";

/** What a prompt turn may do. After a cancellation everything it says is swallowed, so it just runs out. */
export class Turn {
  #hasSpoken = false;

  constructor(
    readonly session: ElizaSession,
    readonly servers: SessionServers,
    readonly signal: AbortSignal,
    private readonly client: Peer,
    private readonly yieldNow: () => Promise<void>,
  ) {}

  /** Streams `text` word by word, as a paragraph of its own. */
  async say(text: string): Promise<void> {
    let said = "";
    for (const word of (this.#hasSpoken ? `\n\n${text}` : text).match(/^\s+|\S+\s*/g) ?? []) {
      if (this.signal.aborted) break;
      said += word;
      this.#hasSpoken = true;
      this.#send(messageChunk(word));
      await this.yieldNow();
    }
    if (said !== "") this.session.record(messageChunk(said));
  }

  /** Announces a tool call as pending. */
  announce(toolCall: Omit<ToolCall, "status">): void {
    this.#update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" });
  }

  report(toolCall: ToolCallUpdate): void {
    this.#update({ sessionUpdate: "tool_call_update", ...toolCall });
  }

  /** Asks the user about a tool call that was announced. A cancelled turn does not wait for the answer. */
  async decide(toolCall: ToolCallUpdate, options: readonly PermissionOption[]): Promise<Decision> {
    if (this.signal.aborted) return { kind: "cancelled" };
    const params = { sessionId: this.session.id, toolCall, options };
    const request = Request.of(acpMethods.requestPermission, params);
    // Refusals are outcomes, too: nothing but the cancellation rejects.
    const outcome = await untilAborted(ask(this.client, request, this.signal), this.signal).catch(() => undefined);
    return outcome === undefined ? { kind: "cancelled" } : parseDecision(outcome, options);
  }

  /** Whether the turn may go on with `toolCall`: asks where the mode says so, and says what a refusal means. */
  async mayGoOn(toolCall: ToolCallUpdate): Promise<boolean> {
    if (this.session.mode === "talk") return true;
    const decision = await this.decide(toolCall, onceOptions);
    if (isAllowed(decision)) return true;
    await this.say(
      decision.kind === "failed"
        ? `I could not ask for your permission: ${decision.message}. So I leave it.`
        : "As you wish. I leave it.",
    );
    return false;
  }

  /** Updates about tool calls are sent even when the turn was cancelled: none may stay open. */
  #update(update: SessionUpdate): void {
    this.session.record(update);
    this.#send(update);
  }

  #send(update: SessionUpdate): void {
    this.client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId: this.session.id, update }));
  }
}

function messageChunk(text: string): SessionUpdate {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
}
