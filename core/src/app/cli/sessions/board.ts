import { homedir } from "node:os";
import { resolve } from "node:path";
import { messageOf } from "../../../base/symposium-error.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { listSessions } from "../../../sessions/conversations/node/session-index.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { canChoose } from "../choices.js";
import { type LiveSession, liveSessions, stopSession } from "../../../sessions/host/node/live-sessions.js";
import { say } from "../output.js";
import { Style } from "../style.js";
import { subcommand } from "../subcommand.js";
import { safeLine } from "../terminal-chat/safe-text.js";
import { boardRows, boardSummary } from "./board-rows.js";
import { BoardScreen } from "./board-screen.js";
import { deleteConversations } from "./delete.js";
import { type ListedConversation, listedConversations, liveOrWarn } from "./live-and-stored.js";

/** Maximum number of stored conversations on the board; all live sessions are shown. */
const storedCount = 100;

/** `sessions board`: shows the conversations by folder and state. Redraws the board in a terminal, otherwise prints it once. */
export const board = subcommand({
  name: "sessions board",
  about:
    `Show the ${storedCount} newest conversations by folder, with the host's waiting and working sessions first. In a terminal, keys ` +
    "open a live session, continue a stored conversation, stop a turn, or delete a conversation. Otherwise prints the list once.",
  options: { cwd: { value: "DIR", about: "only conversations of this folder" } },
  async run({ values }) {
    const folder = values.cwd === undefined ? undefined : resolve(values.cwd);
    const load = async (live: readonly LiveSession[]): Promise<readonly ListedConversation[]> => {
      const stored = (await listSessions(sessionsFolder())).filter(({ cwd }) => folder === undefined || cwd === folder);
      const all = listedConversations(stored, live);
      let left = storedCount;
      return all.filter(({ cwd, live }) => (folder === undefined || cwd === folder) && (live ?? left-- > 0));
    };
    if (canChoose() && process.env["TERM"] !== "dumb") {
      await liveOrWarn();
      return watch(async () => load(await liveSessions().catch(() => [])));
    }
    const conversations = await load(await liveOrWarn());
    if (conversations.length === 0) return say("There are no conversations.");
    const style = Style.of(process.stdout, process.env);
    const look = { columns: Infinity, hasIds: true, style, now: Date.now(), homeFolder: homedir() };
    const rows = boardRows(conversations, look).map(({ text, conversation }) => (conversation ? `  ${text}` : text));
    return say([boardSummary(conversations), ...rows].join("\n"));
  },
});

async function watch(load: () => Promise<readonly ListedConversation[]>): Promise<number> {
  const screen = new BoardScreen({
    input: process.stdin,
    output: process.stdout,
    style: Style.of(process.stdout, process.env),
    homeFolder: homedir(),
    load,
    async stop({ live, cwd }) {
      if (live) await stopSession({ sessionId: live.sessionId, cwd });
    },
    async remove({ stored }) {
      const { deleted } = await deleteConversations(
        sessionsFolder(),
        stored ? [{ id: stored.id, session: stored }] : [],
      );
      return deleted.length > 0;
    },
  });
  let message = "";
  for (;;) {
    const chosen = await choose(screen, message);
    if (!chosen) return 0;
    try {
      const exitCode = await open(chosen);
      // Exit after a failed chat, because the board would hide the error that the chat printed.
      if (exitCode !== 0) return exitCode;
      message = "";
    } catch (fault) {
      message = safeLine(messageOf(fault));
    }
  }
}

/** Shows the board until the user makes a choice. Handles signals only meanwhile, because chats handle signals themselves. */
async function choose(screen: BoardScreen, message: string): Promise<ListedConversation | undefined> {
  const restore = (): void => screen[Symbol.dispose]();
  const end = (): Promise<void> => Promise.resolve().then(restore);
  using _signals = endOnSignals({ end, kill: restore });
  return await screen.run(message);
}

async function open({ stored, live }: ListedConversation): Promise<number> {
  if (live) {
    const { talkInHost } = await import("../chat-in-host.js");
    return talkInHost({ attach: live.sessionId }, undefined, "");
  }
  const { continueSession } = await import("./continue.js");
  return stored ? continueSession([stored.id]) : 0;
}
