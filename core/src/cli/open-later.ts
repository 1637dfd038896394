import type { OpenedChain } from "../agents/setup/setup-options.js";
import { messageOf } from "../base/symposium-error.js";
import type { Conductor, ConductorOptions } from "../conductor/conductor.js";
import { PeerSlot } from "../conductor/link.js";
import { Outcome, type Notification, type Request } from "../rpc/message.js";
import { type Cancel, type Peer, type Reply, nothingToCancel } from "../rpc/peer.js";
import { RpcError } from "../rpc/rpc-error.js";

type OnFailure = NonNullable<ConductorOptions["onFailure"]>;

/** A chain whose making takes a moment: what is sent to it before waits, in order. */
export function openLater(client: Peer, open: (client: Peer, onFailure: OnFailure) => Promise<Conductor>): OpenedChain {
  const slot = new PeerSlot();
  const waiting: (() => void)[] = [];
  let isOpen = false;
  let fail: (text: string) => void = () => undefined;
  const failed = new Promise<string>((resolve) => (fail = resolve));
  const opening = open(client, (failure) => fail(failure.message)).then(
    (conductor) => {
      slot.connectTo(conductor.fromClient);
      return conductor;
    },
    (fault: unknown) => {
      slot.connectTo(refusing(messageOf(fault)));
      fail(messageOf(fault));
      return undefined;
    },
  );
  void opening.then(() => {
    isOpen = true;
    for (const send of waiting.splice(0)) send();
  });
  return {
    failed,
    fromClient: {
      request(request: Request, reply: Reply): Cancel {
        if (isOpen) return slot.request(request, reply);
        let cancel: Cancel = nothingToCancel;
        waiting.push(() => (cancel = slot.request(request, reply)));
        return () => cancel();
      },
      notify(notification: Notification): void {
        if (isOpen) slot.notify(notification);
        else waiting.push(() => slot.notify(notification));
      },
    },
    [Symbol.asyncDispose]: async () => {
      await (await opening)?.[Symbol.asyncDispose]();
    },
  };
}

function refusing(text: string): Peer {
  return {
    request(_request, reply) {
      reply(Outcome.error(RpcError.internal(text)));
      return nothingToCancel;
    },
    notify: () => undefined,
  };
}
