import { acpMethods } from "../../base/acp/methods.js";
import { mustAskMember, ownAnswersMember } from "../../base/acp/must-ask.js";
import { abortOf } from "../../base/until-aborted.js";
import { asObject } from "../../base/rpc/json.js";
import { Notification, type Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Peer } from "../../base/rpc/peer.js";

/** The editor of a session, which can ask its user. */
export interface Asker {
  /** Toward the editor. */
  readonly client: Peer;
  readonly sessionId: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** A question with the answers that can be chosen, by their ids; those that allow have a `kind` that begins with `allow`. */
interface Question<Id extends string> {
  readonly title: string;
  readonly text: string;
  readonly options: Readonly<Record<Id, { readonly name: string; readonly kind: string }>>;
  /** ACP's `ToolKind` of what is asked about; `other` when absent. */
  readonly kind?: string;
  /** What is asked about, for programs. */
  readonly rawInput?: Readonly<Record<string, unknown>>;
  /** No remembered answer and no bypass may stand in for the user. */
  readonly isForUserAlone?: true;
  /** What the user reads where it is not allowed, or nobody answers. */
  readonly whenNotAllowed?: string;
}

/**
 * Asks the user by an ordinary permission request of ACP, which every editor has. Undefined where nobody chose anything.
 * Never rejects.
 */
export async function askUser<Id extends string>(asker: Asker, question: Question<Id>): Promise<Id | undefined> {
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
  const outcome = await unlessAborted(ask(client, request, signal), signal);
  const given = outcome?.isError === false ? asObject(outcome.json.object?.["outcome"])?.["optionId"] : undefined;
  const chosen = ids.find((id) => id === given);
  const isAllowed = chosen !== undefined && options[chosen].kind.startsWith("allow");
  const note = !isAllowed && whenNotAllowed !== undefined && { content: textContent(`${text}\n\n${whenNotAllowed}`) };
  // Editors show the question as a tool call, which would stay open for ever.
  const update = { sessionUpdate: "tool_call_update", toolCallId, status: isAllowed ? "completed" : "failed", ...note };
  client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  return chosen;
}

function textContent(text: string): readonly object[] {
  return [{ type: "content", content: { type: "text", text } }];
}

function unlessAborted(answer: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | undefined> {
  return Promise.race([answer, abortOf(signal).then(() => undefined)]);
}
