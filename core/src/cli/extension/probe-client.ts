import { acpMethods } from "../../acp/methods.js";
import { type Notification, Outcome, type Request } from "../../rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../rpc/peer.js";
import { RpcError } from "../../rpc/rpc-error.js";
import { Arrivals } from "./arrivals.js";
import { probe, probeMember, probeRequest } from "./probe.js";

/** The editor before an extension that is checked: it permits nothing. */
export class ProbeClient implements Peer {
  readonly arrivals = new Arrivals();

  request(request: Request, reply: Reply): Cancel {
    this.arrivals.add(request);
    if (request.method === probeRequest) reply(Outcome.of({ [probeMember]: probe }));
    else if (request.method === acpMethods.requestPermission) reply(Outcome.of({ outcome: { outcome: "cancelled" } }));
    else reply(Outcome.error(RpcError.methodNotFound(request.method)));
    return nothingToCancel;
  }

  notify(notification: Notification): void {
    this.arrivals.add(notification);
  }
}
