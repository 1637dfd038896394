import { setTimeout as wait } from "node:timers/promises";
import type { ChatTab } from "../chat/chat-tab.js";
import type { StoredConversations } from "./stored-conversations.js";

/** Delays in milliseconds between retries. The conversation's last messages may not be on disk at first. */
const laterMs = [100, 400, 1_500] as const;

interface KeptNoticeOptions {
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  readonly store: Pick<StoredConversations, "list">;
}

/** Action id in a turn's last line. The action opens the setting that controls which conversations are stored. */
export const keptSettingId = "conversation-settings";

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
