import { setTimeout as wait } from "node:timers/promises";
import type { ChatTab } from "../chat/chat-tab.js";
import type { StoredConversations } from "./stored-conversations.js";

/** What was said last is on its way to the disk; looked for again after these times. */
const laterMs = [100, 400, 1_500] as const;

interface KeptNoticeOptions {
  /** What the editor keeps for us between windows. */
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  readonly store: Pick<StoredConversations, "list">;
}

/** What an `action` message of a turn's end says whose line leads to where it is decided what is kept. */
export const keptSettingId = "conversation-settings";

/** Says once, below the first turn that is kept, that conversations are. */
export class RecordingNotice {
  static readonly key = "symposium.conversationsTold";
  #isLooking = false;

  constructor(private readonly options: KeptNoticeOptions) {}

  async turnEnded(tab: ChatTab): Promise<void> {
    const { memory, store } = this.options;
    const end = tab.transcript.transcript.items.findLast((item) => item.kind === "turn-end");
    if (!end || this.#isLooking || memory.get(RecordingNotice.key) === true) return;
    this.#isLooking = true;
    try {
      const isKept = async (): Promise<boolean> =>
        (await store.list()).some(({ session }) => session === tab.record.sessionId);
      let isThere = await isKept();
      for (const ms of isThere ? [] : laterMs) {
        await wait(ms, undefined, { ref: false });
        isThere = await isKept();
        if (isThere) break;
      }
      if (!isThere) return;
      await memory.update(RecordingNotice.key, true);
      tab.transcript.publish({ op: "put", item: { ...end, tellsOfKeeping: true } });
    } finally {
      this.#isLooking = false;
    }
  }
}
