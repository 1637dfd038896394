import type { Notification, Outcome, Request } from "./message.js";

export type Reply = (outcome: Outcome) => void;

/** Function that cancels a request. The request's answer still arrives; repeated or late calls have no effect. */
export type Cancel = () => void;

/**
 * One side of a hop. Synchronous, so that messages and answers stay in order: an answer never overtakes a notification or falls behind one.
 */
export interface Peer {
  request(request: Request, reply: Reply): Cancel;
  notify(notification: Notification): void;
}

export const nothingToCancel: Cancel = () => undefined;

/** Peer that never answers. */
export const nobody: Peer = { request: () => nothingToCancel, notify: () => undefined };

/**
 * Sends a request after `ready` resolves; `ready` must never reject. If the request was cancelled meanwhile, `isCancelled` is true, and the
 * cancellation that `send` returns is called immediately.
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

/** Sends a request and returns its answer as a promise, for callers outside the message path. Aborting `signal` sends a cancellation. */
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
