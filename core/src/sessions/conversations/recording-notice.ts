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

/**
 * Tells the user at the end of a turn that the disk refused a conversation. `takeFault` returns the reason, and undefined until the next
 * failure.
 */
export function faultNotice(takeFault: () => string | undefined): TurnNotice {
  return new TurnNotice({
    notice: "conversation-not-stored",
    tellers: [],
    textFor: () => {
      const fault = takeFault();
      return fault === undefined
        ? undefined
        : `a part of your conversations could not be stored: ${fault}. Storing goes on with your next prompt, once the disk takes it.`;
    },
  });
}
