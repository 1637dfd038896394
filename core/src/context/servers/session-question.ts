import { linkedSignal } from "../../base/linked-signal.js";
import { acpMethods } from "../../base/acp/methods.js";
import { Notification, Request } from "../../base/rpc/message.js";
import { asObject } from "../../base/rpc/json.js";
import { ask } from "../../base/rpc/peer.js";
import type { ServerSession } from "./expanded-launch.js";

/** The user's answer; `unable` if the editor doesn't support the question. */
type UserAnswer =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" }
  | { readonly action: "unable" };

const unable: UserAnswer = { action: "unable" };
const pollMs = 50;

export function canAsk(session: ServerSession, mode: "url" | "form"): boolean {
  return asObject(asObject(session.clientCapabilities["elicitation"])?.[mode]) !== undefined;
}

/** Asks the user to open `url`. Resolves when the URL was opened; `elicitation/complete` reports the result. */
export function askToOpen(
  session: ServerSession,
  question: { readonly message: string; readonly url: string; readonly elicitationId: string },
  signal: AbortSignal,
): Promise<UserAnswer> {
  return canAsk(session, "url") ? elicit(session, { mode: "url", ...question }, signal) : Promise.resolve(unable);
}

export async function tellOpened(session: ServerSession, elicitationId: string): Promise<void> {
  if ((await openSessionId(session)) === undefined) return;
  session.client.notify(Notification.of(acpMethods.completeElicitation, { elicitationId }));
}

/** Asks the user to fill in a form with flat JSON Schema properties. */
export function askForm(
  session: ServerSession,
  question: { readonly message: string; readonly requestedSchema: object },
  signal: AbortSignal,
): Promise<UserAnswer> {
  return canAsk(session, "form") ? elicit(session, { mode: "form", ...question }, signal) : Promise.resolve(unable);
}

export async function showText(session: ServerSession, text: string): Promise<void> {
  const sessionId = await openSessionId(session);
  if (sessionId === undefined) return;
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n\n` } };
  session.client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
}

async function elicit(session: ServerSession, params: object, signal: AbortSignal): Promise<UserAnswer> {
  const sessionId = await openSessionId(session);
  if (sessionId === undefined) return unable;
  using either = linkedSignal([session.signal, signal]);
  const request = Request.of(acpMethods.createElicitation, { sessionId, ...params });
  const outcome = await ask(session.client, request, either.signal);
  if (outcome.isError) return unable;
  const { action, content } = outcome.json.object ?? {};
  return action === "accept" ? { action, content: asObject(content) ?? {} } : { action: "decline" };
}

/** Waits until the session's opening was answered, since editors don't know it before. Returns undefined if the session ended first. */
async function openSessionId(session: ServerSession): Promise<string | undefined> {
  while (session.sessionId === undefined && !session.signal.aborted) {
    await new Promise<void>((resolve) => void setTimeout(resolve, pollMs));
  }
  return session.signal.aborted ? undefined : session.sessionId;
}
