import { TurnNotice } from "../../base/acp/turn-notice.js";

interface KeptNoticeOptions {
  readonly text: string;
  /** Names of clients that show the notice themselves. */
  readonly tellers: readonly string[];
  /** Returns whether a session is stored on disk. `sessionId` is the editor's id. */
  readonly isKept: (sessionId: string) => boolean;
  /** Returns true for exactly one caller across all processes. */
  readonly claim: () => boolean;
}

/** Tells the user once, at the end of the first stored turn, that conversations are stored. */
export function keptNotice({ text, tellers, isKept, claim }: KeptNoticeOptions): TurnNotice {
  let isOver = false;
  return new TurnNotice({
    notice: "conversations-kept",
    tellers,
    textFor: (sessionId) => {
      if (isOver || !isKept(sessionId)) return undefined;
      isOver = true;
      return claim() ? text : undefined;
    },
  });
}
