import { acpMethods } from "../../base/acp/methods.js";
import { Json } from "../../base/rpc/json.js";
import { Notification } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { UpdateLog } from "./update-log.js";

export interface SessionClient {
  readonly peer: Peer;
  /** True while the client reads more slowly than the host sends. */
  readonly isCongested: boolean;
  /** Returns whether the client announced `capability`, a dotted path. */
  can(capability: string): boolean;
  /** Returns whether the client is connected and, if `sessionId` is given, attached to this session. */
  isIn(sessionId: string | undefined): boolean;
  /** Ends the connection. The client may reconnect and attach to its sessions. */
  drop(reason: string): void;
}

/** The part of the earlier updates that a client wants when it attaches. */
export interface AttachWish {
  readonly replays: boolean;
  /** The turn whose prompt the client already has, as named by `_meta.symposium.turn` of the prompt. */
  readonly after?: string | undefined;
}

interface AttachmentOptions {
  readonly client: SessionClient;
  readonly log: UpdateLog;
  /** Log position of the client's first update. */
  readonly from: number;
  /** Converts an update's parameters to the form that this client receives. */
  readonly shown: (params: string) => string;
  /** Called once, when the client has received the whole log. */
  readonly onLive: () => void;
}

/**
 * Position of one client in a session's updates. Replayed and live updates use the same loop, so that none is lost or repeated. The replay
 * waits while the client is congested.
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

  /** Whether the client has received all earlier updates. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Sends the updates that the client lacks. `newest` is the log's last update as received, so that clients share its text. */
  walk(newest?: Notification): void {
    // The client may answer before `notify` returns.
    if (this.#isWalking) return;
    this.#isWalking = true;
    const isAtEnd = this.#send(newest);
    this.#isWalking = false;
    if (!isAtEnd || this.#isLive) return;
    this.#isLive = true;
    this.options.onLive();
  }

  /** Sends updates until the end of the log. Returns false if the client must first read what was sent. */
  #send(newest: Notification | undefined): boolean {
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
      const params = shown(update.params);
      const isNewest = newest?.params?.text === params;
      client.peer.notify(isNewest ? newest : new Notification(acpMethods.sessionUpdate, Json.ofText(params)));
    }
    return true;
  }
}
