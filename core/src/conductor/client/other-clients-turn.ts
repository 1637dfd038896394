import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { symposiumIn } from "../../base/acp/symposium-meta.js";
import { asObject, stringOf } from "../../base/rpc/json.js";
import type { Unchecked } from "./unchecked.js";

interface HostTurn {
  readonly state: string;
  readonly stopReason: string;
}

/** Reads the state of a turn that another client of the host started, from one of the host's updates. */
export function hostTurnIn(update: Unchecked<SessionUpdate>): HostTurn | undefined {
  const turn = asObject(symposiumIn(update._meta)["turn"]);
  const state = stringOf(turn?.["state"]);
  if (state === undefined) return undefined;
  return { state, stopReason: state === "failed" ? "error" : (stringOf(turn?.["stopReason"]) ?? "end_turn") };
}

/** Turn that another client of the host started. */
export class OthersTurn {
  #isOver = false;
  #ended: (turn: HostTurn) => void = () => undefined;
  readonly end: Promise<Pick<HostTurn, "stopReason">> = new Promise<HostTurn>((resolve) => (this.#ended = resolve));

  /** Returns the turn to show after an update; `before` is the turn shown previously. */
  static next(before: OthersTurn | undefined, turn: HostTurn): OthersTurn | undefined {
    if (turn.state === "working") return before && !before.#isOver ? before : new OthersTurn();
    if (!before) return undefined;
    before.#isOver = true;
    before.#ended(turn);
    return before;
  }
}
