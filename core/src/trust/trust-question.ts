import { acpMethods } from "../acp/methods.js";
import { asObject } from "../rpc/json.js";
import { Notification, Request } from "../rpc/message.js";
import { ask, type Peer } from "../rpc/peer.js";

/** The editor of a session, which can ask its user. */
export interface TrustAsker {
  /** Toward the editor. */
  readonly client: Peer;
  readonly sessionId: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** `always` is kept, `once` and `no` hold until this process ends; `unanswered` where nobody chose anything. */
export type TrustAnswer = "always" | "once" | "no" | "unanswered";

const options = [
  { optionId: "trust-always", name: "Trust this folder", kind: "allow_always" },
  { optionId: "trust-once", name: "Trust it until this program ends", kind: "allow_once" },
  { optionId: "trust-no", name: "Do not trust it", kind: "reject_once" },
] as const;

const answers: Readonly<Record<string, TrustAnswer>> = {
  "trust-always": "always",
  "trust-once": "once",
  "trust-no": "no",
};

/**
 * Asks the user by an ordinary permission request of ACP whether `folder` is to be trusted. `reason` is a sentence that
 * says what would run. Never rejects.
 */
export async function askForTrust(folder: string, reason: string, asker: TrustAsker): Promise<TrustAnswer> {
  const { client, sessionId, signal } = asker;
  const toolCallId = `symposium-trust-${crypto.randomUUID()}`;
  const text = `${reason} Code and configuration in this folder can then run programs as you. Trust it only if you trust who wrote it.`;
  const request = Request.of(acpMethods.requestPermission, {
    sessionId,
    toolCall: {
      toolCallId,
      title: `Trust the folder ${folder}?`,
      kind: "other",
      status: "pending",
      content: [{ type: "content", content: { type: "text", text } }],
    },
    options,
  });
  const answer = await answerOf(client, request, signal);
  const status = answer === "always" || answer === "once" ? "completed" : "failed";
  // Editors show the question as a tool call, which would stay open for ever.
  const update = { sessionUpdate: "tool_call_update", toolCallId, status };
  client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  return answer;
}

async function answerOf(client: Peer, request: Request, signal: AbortSignal): Promise<TrustAnswer> {
  const givenUp = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const outcome = await Promise.race([ask(client, request, signal), givenUp]);
  if (outcome === undefined || outcome.isError) return "unanswered";
  const optionId = asObject(outcome.json.object?.["outcome"])?.["optionId"];
  return (typeof optionId === "string" ? answers[optionId] : undefined) ?? "unanswered";
}
