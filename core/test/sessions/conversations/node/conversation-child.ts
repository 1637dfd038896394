import { createInterface } from "node:readline";
import { setImmediate as others } from "node:timers/promises";
import { SessionFolder } from "../../../../src/sessions/conversations/node/session-folder.js";
import type { SessionLog } from "../../../../src/sessions/conversations/session-log.js";
import { defaultConversationSettings } from "../../../../src/settings/conversation-settings.js";

/* A process that keeps a conversation: each line on its input is a command, and is answered with a line. */
const faults: string[] = [];
let store: SessionFolder | undefined;
let log: SessionLog | undefined;
let session = "";
let count = 0;

/** The next updates, numbered; some are longer than what is written at once. */
function update(): void {
  const text = `${count}:${"word ".repeat(count % 50 === 49 ? 20_000 : (count * 7) % 90)}`;
  const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  log?.update(JSON.stringify({ sessionId: session, update: chunk }));
  count++;
}

const commands: Readonly<Record<string, (word: string, more: string) => Promise<string>>> = {
  /** Opens a session, or goes on with one that is kept, and begins a turn. */
  open(folder, id) {
    session = id;
    store = new SessionFolder({
      folder,
      settings: () => Promise.resolve(defaultConversationSettings),
      mask: (text) => text,
      onFault: (message) => faults.push(message),
    });
    log = store.open({ id, cwd: "/w", agent: "an-agent", hasHistory: true });
    log.prompt(JSON.stringify([{ type: "text", text: "Go on" }]));
    return Promise.resolve("open");
  },
  /** So many updates; answers when they are on disk. */
  async write(many) {
    for (let n = 0; n < Number(many); n++) update();
    await store?.settled();
    return String(count);
  },
  /** Updates until the process is killed; prints the count after each hundred. */
  async flood() {
    for (;;) {
      update();
      if (count % 100 === 0) process.stdout.write(`${count}\n`);
      if (count % 10 === 0) await others();
    }
  },
  async end() {
    log?.end('{"stopReason":"end_turn"}', "an-agent");
    await store?.[Symbol.asyncDispose]();
    return faults.join() || "kept";
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name = "", word = "", more = ""] = line.split(" ");
  const answer = await commands[name]?.(word, more);
  process.stdout.write(`${answer ?? "unknown"}\n`);
}
