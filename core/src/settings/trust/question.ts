import { acpMethods } from "../../base/acp/methods.js";
import { mustAskMember, ownAnswersMember } from "../../base/acp/must-ask.js";
import { abortOf } from "../../base/until-aborted.js";
import { asObject } from "../../base/rpc/json.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { ask, type Peer } from "../../base/rpc/peer.js";

export interface Asker {
  readonly client: Peer;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** Question with possible answers by id; those that allow have a `kind` starting with `allow`. */
interface TrustQuestion<Id extends string> {
  readonly title: string;
  readonly text: string;
  readonly options: Readonly<Record<Id, { readonly name: string; readonly kind: string }>>;
  /** ACP `ToolKind` of the question; default: `other`. */
  readonly kind?: string;
  /** Details of the question for programs. */
  readonly rawInput?: Readonly<Record<string, unknown>>;
  /** Whether only the user may answer, so that neither a remembered answer nor a bypass replaces the user's answer. */
  readonly isForUserAlone?: true;
  /** Text to show to the user after a refusal, or if nobody answered. */
  readonly whenNotAllowed?: string;
}

/** Asks with an ACP permission request, which every editor supports. Returns undefined if nobody chose. Never rejects. */
export async function askUser<Id extends string>(asker: Asker, question: TrustQuestion<Id>): Promise<Id | undefined> {
  const { client, sessionId, signal } = asker;
  const { title, text, options, kind = "other", rawInput, whenNotAllowed, isForUserAlone } = question;
  const toolCallId = `symposium-trust-${crypto.randomUUID()}`;
  const ids = Object.keys(options) as Id[];
  const request = Request.of(acpMethods.requestPermission, {
    sessionId,
    toolCall: {
      toolCallId,
      title,
      kind,
      status: "pending",
      content: textContent(text),
      ...(rawInput && { rawInput }),
    },
    options: ids.map((optionId) => ({ optionId, name: options[optionId].name, kind: options[optionId].kind })),
    _meta: { [ownAnswersMember]: true, ...(isForUserAlone && { [mustAskMember]: true }) },
  });
  const outcome = await Promise.race([ask(client, request, signal), abortOf(signal).then(() => undefined)]);
  const given = outcome?.isError === false ? asObject(outcome.json.object?.["outcome"])?.["optionId"] : undefined;
  const chosen = ids.find((id) => id === given);
  const isAllowed = chosen !== undefined && options[chosen].kind.startsWith("allow");
  const note = !isAllowed && whenNotAllowed !== undefined && { content: textContent(`${text}\n\n${whenNotAllowed}`) };
  // Editors show the question as a tool call, which would otherwise remain open.
  const update = { sessionUpdate: "tool_call_update", toolCallId, status: isAllowed ? "completed" : "failed", ...note };
  client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  return chosen;
}

function textContent(text: string): readonly object[] {
  return [{ type: "content", content: { type: "text", text } }];
}
