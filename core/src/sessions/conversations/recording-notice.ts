import { TurnNotice } from "../../base/acp/turn-notice.js";

interface KeptNoticeOptions {
  /** What users are told, in Markdown. */
  readonly text: string;
  /** Names of clients that tell it by themselves. */
  readonly tellers: readonly string[];
  /** What is said in a session, as the editor calls it, is on the disk. */
  readonly isKept: (sessionId: string) => boolean;
  /** True for one caller of all processes, ever. */
  readonly claim: () => boolean;
}

/** Says once, at the end of the first turn that is kept, that conversations are. */
export function keptNotice({ text, tellers, isKept, claim }: KeptNoticeOptions): TurnNotice {
  /** Nothing is to be said any more. */
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
