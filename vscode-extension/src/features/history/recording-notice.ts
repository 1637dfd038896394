import { setTimeout as wait } from "node:timers/promises";
import type { ChatTab } from "../chat/chat-tab.js";
import type { StoredConversations } from "./stored-conversations.js";

/** Retry delays, since the last messages may not be on disk yet. */
const laterMs = [100, 400, 1_500] as const;

interface KeptNoticeOptions {
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): PromiseLike<void> };
  readonly store: Pick<StoredConversations, "list">;
}

/** Action id of a turn end whose line links to the setting that controls what is stored. */
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
