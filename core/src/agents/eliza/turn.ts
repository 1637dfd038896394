import type { PermissionOption, SessionUpdate, ToolCall, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { acpMethods } from "../../base/acp/methods.js";
import { untilAborted } from "../../base/until-aborted.js";
import { asObject } from "../../base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Peer } from "../../base/rpc/peer.js";
import type { ElizaSession } from "./eliza-session.js";
import type { SessionServers } from "./session-servers.js";

/** Operations available to a prompt turn. After a cancellation, the turn runs to its end, but its messages are discarded. */
export class Turn {
  #hasSpoken = false;

  constructor(
    readonly session: ElizaSession,
    readonly servers: SessionServers,
    readonly signal: AbortSignal,
    private readonly client: Peer,
    private readonly yieldNow: () => Promise<void>,
  ) {}

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

  announce(toolCall: Omit<ToolCall, "status">): void {
    this.#update({ sessionUpdate: "tool_call", ...toolCall, status: "pending" });
  }

  report(toolCall: ToolCallUpdate): void {
    this.#update({ sessionUpdate: "tool_call_update", ...toolCall });
  }

  /** Asks the user about an announced tool call. A cancelled turn doesn't wait for the answer. */
  async decide(toolCall: ToolCallUpdate, options: readonly PermissionOption[]): Promise<Decision> {
    if (this.signal.aborted) return { kind: "cancelled" };
    const params = { sessionId: this.session.id, toolCall, options };
    const request = Request.of(acpMethods.requestPermission, params);
    // A denial is also an outcome; only a cancellation rejects the request.
    const outcome = await untilAborted(ask(this.client, request, this.signal), this.signal).catch(() => undefined);
    return outcome === undefined ? { kind: "cancelled" } : parseDecision(outcome, options);
  }

  /** Whether the turn may continue with `toolCall`. Asks for permission if the mode requires it, and reports a denial to the user. */
  async mayGoOn(toolCall: ToolCallUpdate): Promise<boolean> {
    if (this.session.mode === "talk") return true;
    const decision = await this.decide(toolCall, onceOptions);
    if (isAllowed(decision)) return true;
    await this.say(
      decision.kind === "failed"
        ? `I could not ask for your permission: ${decision.message}. So I won't do it.`
        : "As you wish. I won't do it.",
    );
    return false;
  }

  /** Sends tool call updates even after a cancellation, since no tool call may stay open. */
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

export const allOptions: readonly PermissionOption[] = [
  { optionId: "allow-once", name: "Allow once", kind: "allow_once" },
  { optionId: "allow-always", name: "Always allow", kind: "allow_always" },
  { optionId: "reject-once", name: "Reject", kind: "reject_once" },
  { optionId: "reject-always", name: "Always reject", kind: "reject_always" },
];

/** Permission options without "always", since this mode asks every time and would ignore such an answer. */
const onceOptions: readonly PermissionOption[] = allOptions.filter(({ kind }) => kind.endsWith("_once"));

export type Decision =
  | { readonly kind: "selected"; readonly option: PermissionOption }
  | { readonly kind: "cancelled" }
  | { readonly kind: "failed"; readonly message: string };

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
  return { kind: "failed", message: `the client answered ${outcome.json.text}, which isn't one of the options` };
}

export function isAllowed(decision: Decision): boolean {
  return decision.kind === "selected" && decision.option.kind.startsWith("allow");
}
