import { homedir } from "node:os";
import { resolve } from "node:path";
import { messageOf } from "../../../base/symposium-error.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { archivedIn } from "../../../sessions/conversations/node/archived-sessions.js";
import { listSessions } from "../../../sessions/conversations/node/session-index.js";
import { WorktreeSizes } from "../../../sessions/conversations/node/worktree-sizes.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { canChoose } from "../choices.js";
import { type LiveSession, liveSessions, stopSession } from "../../../sessions/host/node/live-sessions.js";
import { say } from "../output.js";
import { Style } from "../style.js";
import { subcommand } from "../subcommand.js";
import { safeLine } from "../terminal-chat/safe-text.js";
import { archiveConversations } from "./archive.js";
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
    "open a live session, continue a stored conversation, stop a turn, or archive or delete a conversation. Otherwise prints the list once.",
  options: {
    cwd: { value: "DIR", about: "only conversations of this folder" },
    archived: { about: "only archived conversations" },
  },
  async run({ values }) {
    const folder = values.cwd === undefined ? undefined : resolve(values.cwd);
    const wantsArchived = values.archived === true;
    const sizes = new WorktreeSizes();
    const load = async (live: readonly LiveSession[]): Promise<readonly ListedConversation[]> => {
      const isArchived = await archivedIn(sessionsFolder());
      const stored = (await listSessions(sessionsFolder())).filter(({ cwd }) => folder === undefined || cwd === folder);
      const all = listedConversations(stored, live);
      let left = storedCount;
      const isShown = ({ live, stored }: ListedConversation): boolean =>
        wantsArchived
          ? stored !== undefined && isArchived(stored)
          : live !== undefined || !stored || !isArchived(stored);
      return all
        .filter((one) => (folder === undefined || one.cwd === folder) && isShown(one) && (one.live ?? left-- > 0))
        .map((one) => ({ ...one, worktree: sizes.of(one.cwd) }));
    };
    if (canChoose() && process.env["TERM"] !== "dumb") {
      await liveOrWarn();
      return watch(async () => {
        const shown = await load(await liveSessions().catch(() => []));
        // The next refresh shows the sizes, since measuring can take seconds.
        void sizes.measure(shown.map(({ cwd }) => cwd));
        return shown;
      }, wantsArchived);
    }
    const live = await liveOrWarn();
    await sizes.measure((await load(live)).map(({ cwd }) => cwd));
    const conversations = await load(live);
    if (conversations.length === 0) return say(`There are no ${wantsArchived ? "archived " : ""}conversations.`);
    const style = Style.of(process.stdout, process.env);
    const look = { columns: Infinity, hasIds: true, style, now: Date.now(), homeFolder: homedir() };
    const rows = boardRows(conversations, look).map(({ text, conversation }) => (conversation ? `  ${text}` : text));
    return say([boardSummary(conversations), ...rows].join("\n"));
  },
});

async function watch(load: () => Promise<readonly ListedConversation[]>, isArchive: boolean): Promise<number> {
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
    async archive({ stored }) {
      await archiveConversations(stored ? [stored.id] : [], !isArchive);
      return isArchive ? "is no longer archived" : "is archived";
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
