import { type Notification, Outcome, type Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import type { RpcError } from "../../base/rpc/rpc-error.js";
import type { NotificationHandler, RequestHandler } from "./proxy.js";

/** Runs a proxy's handlers. An exception fails only the request being handled. */
export class HandlerGuard {
  #handled: Reply | undefined;

  /** `onFault` receives the exception and returns the error for the failed request. */
  constructor(private readonly onFault: (fault: unknown) => RpcError) {}

  /** Wraps a neighbor so that handlers get its messages first; unhandled messages pass through. */
  before(
    next: Peer,
    requests: Readonly<Record<string, RequestHandler>> = {},
    notifications: Readonly<Record<string, NotificationHandler>> = {},
  ): Peer {
    const onRequest = new Map(Object.entries(requests));
    const onNotification = new Map(Object.entries(notifications));
    return {
      request: (request, reply) => {
        const handler = onRequest.get(request.method);
        return handler ? this.#handle(handler, request, reply) : next.request(request, reply);
      },
      notify: (notification) => {
        const handler = onNotification.get(notification.method);
        const passed = handler ? this.#pass(handler, notification) : notification;
        if (passed) next.notify(passed);
      },
    };
  }

  /** Wraps `peer` for handlers: if a handler's `reply` throws, the request being handled fails. */
  guarded(peer: Peer): Peer {
    return {
      request: (request, reply) => {
        const handled = this.#handled;
        return peer.request(request, (outcome) => {
          try {
            reply(outcome);
          } catch (fault) {
            const error = this.onFault(fault);
            handled?.(Outcome.error(error));
          }
        });
      },
      notify: (notification) => peer.notify(notification),
    };
  }

  #handle(handler: RequestHandler, request: Request, reply: Reply): Cancel {
    const outer = this.#handled;
    this.#handled = reply;
    try {
      return handler(request, reply) ?? nothingToCancel;
    } catch (fault) {
      reply(Outcome.error(this.onFault(fault)));
      return nothingToCancel;
    } finally {
      this.#handled = outer;
    }
  }

  /** A notification whose handler throws is forwarded unmodified. */
  #pass(handler: NotificationHandler, notification: Notification): Notification | undefined {
    try {
      return handler(notification);
    } catch (fault) {
      this.onFault(fault);
      return notification;
    }
  }
}
