import { Connection } from "../../../src/base/rpc/connection.js";
import type { Peer } from "../../../src/base/rpc/peer.js";
import { type Answer, RecordingPeer } from "../../../testing/recording-peer.js";

interface Wire {
  readonly connection: Connection;
  /** Messages that our side received from the neighbour. */
  readonly inbound: RecordingPeer;
  /** Lines to the neighbour. */
  readonly sent: string[];
  readonly skipped: string[];
}

/** A connection whose wire is two lists. `answers` is how our side answers the neighbour. */
export function wire(
  answers: Readonly<Record<string, Answer>> = {},
  options: { readonly answersGarbage?: boolean; readonly inbound?: Peer } = {},
): Wire {
  const inbound = new RecordingPeer(answers);
  const sent: string[] = [];
  const skipped: string[] = [];
  const connection = new Connection({
    send: (line) => sent.push(line),
    inbound: options.inbound ?? inbound,
    answersGarbage: options.answersGarbage ?? true,
    onSkipped: (reason) => skipped.push(reason),
  });
  return { connection, inbound, sent, skipped };
}

/** For an answer that comes later. */
export const later = (): undefined => undefined;
