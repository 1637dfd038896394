import { linkedSignal } from "../../base/linked-signal.js";
import { acpMethods } from "../../base/acp/methods.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { asObject } from "../../base/rpc/json.js";
import { ask } from "../../base/rpc/peer.js";
import type { ServerSession } from "./expanded-launch.js";

/** What the user did; `unable` where the editor has no such question. */
type UserAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" }
  | { readonly action: "unable" };

const unable: UserAnswer = { action: "unable" };
const pollMs = 50;

/** Whether the editor can show an address, or a form, in a session. */
export function canAsk(session: ServerSession, mode: "url" | "form"): boolean {
  return asObject(asObject(session.clientCapabilities["elicitation"])?.[mode]) !== undefined;
}

/** Has the user open `url`. The answer says that it was opened, and no more: `elicitation/complete` says what came of it. */
export function askToOpen(
  session: ServerSession,
  question: { readonly message: string; readonly url: string; readonly elicitationId: string },
  signal: AbortSignal,
): Promise<UserAnswer> {
  return canAsk(session, "url") ? elicit(session, { mode: "url", ...question }, signal) : Promise.resolve(unable);
}

/** What was to be opened is done. */
export async function tellOpened(session: ServerSession, elicitationId: string): Promise<void> {
  if ((await openSessionId(session)) === undefined) return;
  session.client.notify(Notification.of(acpMethods.completeElicitation, { elicitationId }));
}

/** Has the user fill in a form of flat JSON Schema properties. */
export function askForm(
  session: ServerSession,
  question: { readonly message: string; readonly requestedSchema: object },
  signal: AbortSignal,
): Promise<UserAnswer> {
  return canAsk(session, "form") ? elicit(session, { mode: "form", ...question }, signal) : Promise.resolve(unable);
}

/** Shows a text of ours in the session, where the agent's answers are. */
export async function showText(session: ServerSession, text: string): Promise<void> {
  const sessionId = await openSessionId(session);
  if (sessionId === undefined) return;
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n\n` } };
  session.client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
}

async function elicit(session: ServerSession, params: object, signal: AbortSignal): Promise<UserAnswer> {
  const sessionId = await openSessionId(session);
  if (sessionId === undefined) return unable;
  const either = linkedSignal([session.signal, signal]);
  const request = Request.of(acpMethods.createElicitation, { sessionId, ...params });
  const outcome = await ask(session.client, request, either.signal);
  either.release();
  if (outcome.isError) return unable;
  const { action, content } = outcome.json.object ?? {};
  return action === "accept" ? { action, content: asObject(content) ?? {} } : { action: "decline" };
}

/**
 * An editor knows no session but those whose opening was answered, so whoever asks while one is being opened waits for
 * that. Undefined where it ended before.
 */
async function openSessionId(session: ServerSession): Promise<string | undefined> {
  while (session.sessionId === undefined && !session.signal.aborted) {
    await new Promise<void>((resolve) => void setTimeout(resolve, pollMs));
  }
  return session.signal.aborted ? undefined : session.sessionId;
}
