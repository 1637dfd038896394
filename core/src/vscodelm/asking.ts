import type { DigestedHistory } from "../model/session-history.js";
import type { ResponseRequest } from "./read-params.js";
import type { AskUser } from "./session-permissions.js";
import type { LmPart } from "./wire.js";

/** The editor's side of one request. */
export interface LmListener {
  tell(part: LmPart): void;
  readonly askUser: AskUser;
}

/** One request, while it is answered. */
export interface Asking {
  readonly request: ResponseRequest;
  readonly history: DigestedHistory;
  readonly listener: LmListener;
  /** Aborted when the editor gives the request up. */
  readonly signal: AbortSignal;
}
