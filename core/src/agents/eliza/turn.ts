import type { PermissionOption, SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { acpMethods } from "../../base/acp/methods.js";
import { untilAborted } from "../../base/until-aborted.js";
import { asObject } from "../../base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Peer } from "../../base/rpc/peer.js";
import type { ElizaSession } from "./eliza-session.js";
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

/** One option of each kind that ACP knows. */
export const allOptions: readonly PermissionOption[] = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
  { optionId: "reject-always", name: "Always reject", kind: "reject_always" },
];

/** Where every single answer is asked for, "always" would not be kept, so it is not offered. */
const onceOptions: readonly PermissionOption[] = allOptions.filter(({ kind }) => kind.endsWith("_once"));

/** How a permission request ended. */
export type Decision =
  | { readonly kind: "selected"; readonly option: PermissionOption }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

/** Reads the client's answer to a permission request that offered `options`. */
function parseDecision(outcome: Outcome, options: readonly PermissionOption[]): Decision {
  const answer = outcome.json.object;
  if (outcome.isError) {
    const message = answer?.["message"];
    return { kind: "failed", message: typeof message === "string" ? message : outcome.json.text };
  }
  const { outcome: kind, optionId } = asObject(answer?.["outcome"]) ?? {};
  if (kind === "cancelled") return { kind };
  const option = options.find((offered) => offered.optionId === optionId);
  if (kind === "selected" && option) return { kind, option };
  return { kind: "failed", message: `it answered ${outcome.json.text}, which is none of the options` };
}

export function isAllowed(decision: Decision): boolean {
  return decision.kind === "selected" && decision.option.kind.startsWith("allow");
}
