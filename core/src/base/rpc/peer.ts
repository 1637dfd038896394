import type { Notification, Outcome, Request } from "./message.js";

/** Receives the answer to one request, exactly once. */
export type Reply = (outcome: Outcome) => void;

/** Asks the other side to give a request up. The answer still comes. Calling it twice, or late, does nothing. */
export type Cancel = () => void;

/**
 * One side of a hop. Everything is synchronous, so messages and answers leave in the order in which they
 * came: an answer never overtakes, or falls behind, the notifications around it.
 */
export interface Peer {
  request(request: Request, reply: Reply): Cancel;
  notify(notification: Notification): void;
}

/** For requests that cannot be cancelled any more, or never could. */
export const nothingToCancel: Cancel = () => undefined;

/** Where there is no peer: never answers. */
export const nobody: Peer = { request: () => nothingToCancel, notify: () => undefined };

/**
 * Sends a request once `ready` has resolved, which never rejects. `send` returns the request's cancellation; it is called at once
 * for a request that was cancelled before, and learns that from `isCancelled`.
 */
export function deferredRequest<Value>(
  ready: Promise<Value>,
  send: (value: Value, isCancelled: boolean) => Cancel | undefined,
): Cancel {
  let isCancelled = false;
  let cancel: Cancel | undefined;
  void ready.then((value) => {
    cancel = send(value, isCancelled);
    if (isCancelled) cancel?.();
  });
  return () => {
    isCancelled = true;
    cancel?.();
  };
}

/** A request as a promise, for callers outside the message path. `signal` sends the cancellation. */
export function ask(peer: Peer, request: Request, signal?: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    let isAnswered = false;
    const cancel = peer.request(request, (outcome) => {
      isAnswered = true;
      signal?.removeEventListener("abort", onAbort);
      resolve(outcome);
    });
    function onAbort(): void {
      cancel();
    }
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- the answer may come before request() returns
    if (isAnswered || signal === undefined) return;
    if (signal.aborted) cancel();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
