import { acpMethods } from "../../base/acp/methods.js";
import { Json } from "../../base/rpc/json.js";
import { Notification } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { UpdateLog } from "./update-log.js";

/** A client as its sessions see it. */
export interface SessionClient {
  /** The methods of the client. */
  readonly peer: Peer;
  /** True while the client reads more slowly than it is sent to. */
  readonly isCongested: boolean;
  /** Whether the client has announced what `capability` (dotted) names. */
  can(capability: string): boolean;
  /** Ends the connection. The client may connect again and attach to its sessions. */
  drop(reason: string): void;
}

interface AttachmentOptions {
  readonly client: SessionClient;
  readonly log: UpdateLog;
  /** The place in the log of the first update that the client gets. */
  readonly from: number;
  /** Changes an update for this client. */
  readonly shown: (params: string) => string;
  /** Called once, when the client has got everything that the log had. */
  readonly onLive: () => void;
}

/**
 * One client's place in the updates of a session. Replay and live updates are the same walk through the log, so that none is
 * missing or repeated. While it replays, the walk waits whenever the client is congested.
 */
export class Attachment {
  #place: number;
  #isLive = false;
  #isWalking = false;

  constructor(private readonly options: AttachmentOptions) {
    this.#place = options.from;
  }

  get client(): SessionClient {
    return this.options.client;
  }

  /** Whether the client has got all that was sent before now. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Sends the updates that the client has not got yet. */
  walk(): void {
    // A client that is sent to may answer before `notify` returns.
    if (this.#isWalking) return;
    this.#isWalking = true;
    const isAtEnd = this.#send();
    this.#isWalking = false;
    if (!isAtEnd || this.#isLive) return;
    this.#isLive = true;
    this.options.onLive();
  }

  /** Returns false if the client has to read first. */
  #send(): boolean {
    const { client, log, shown } = this.options;
    while (this.#place < log.end) {
      if (!this.#isLive && client.isCongested) return false;
      const update = log.at(this.#place);
      if (!update) {
        client.drop("it reads its updates too slowly");
        return false;
      }
      this.#place++;
      if (update.except === this) continue;
      client.peer.notify(new Notification(acpMethods.sessionUpdate, Json.ofText(shown(update.params))));
    }
    return true;
  }
}
