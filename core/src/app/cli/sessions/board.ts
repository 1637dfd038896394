import { homedir } from "node:os";
import { resolve } from "node:path";
import { defaultMaxLineBytes } from "../../../base/line-splitter.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { archivedIn } from "../../../sessions/conversations/node/archived-sessions.js";
import { listSessions } from "../../../sessions/conversations/node/session-index.js";
import { WorktreeSizes } from "../../../sessions/conversations/node/worktree-sizes.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { canChoose } from "../choices.js";
import { type LiveSession, liveSessions, statusOf, stopSession } from "../../../sessions/host/node/live-sessions.js";
import { askRemoteHost, type RemoteHost } from "../../../sessions/host/node/remote-process.js";
import type { Placement } from "../../../settings/placement.js";
import { chosenMachine, remoteHost, statusThere } from "../other-machine.js";
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
/** Milliseconds between connections to another machine. */
const remoteRefreshMs = 10_000;

/** `sessions board`: shows the conversations by folder and state. Redraws the board in a terminal, otherwise prints it once. */
export const board = subcommand({
  name: "sessions board",
  about:
    `Show the ${storedCount} newest conversations by folder, with the host's waiting and working sessions first. In a terminal, keys ` +
    "open a live session, continue a stored conversation, stop a turn, or archive or delete a conversation. Otherwise prints the list once.",
  options: {
    cwd: { value: "DIR", about: "only conversations of this folder" },
    archived: { about: "only archived conversations" },
    on: { value: "MACHINE", about: "only the live sessions on another machine, such as ssh:HOST" },
  },
  async run({ values }) {
    const machine = chosenMachine({ on: values.on });
    if (machine) return showThere(machine, values.cwd !== undefined || values.archived === true);
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
    if (canWatch()) {
      await liveOrWarn();
      const watched = async (): Promise<readonly ListedConversation[]> => {
        const shown = await load(await liveSessions().catch(() => []));
        // The next refresh shows the sizes, since measuring can take seconds.
        void sizes.measure(shown.map(({ cwd }) => cwd));
        return shown;
      };
      return watch({ load: watched, isArchive: wantsArchived });
    }
    const live = await liveOrWarn();
    await sizes.measure((await load(live)).map(({ cwd }) => cwd));
    const conversations = await load(live);
    if (conversations.length === 0) return say(`There are no ${wantsArchived ? "archived " : ""}conversations.`);
    return print(conversations);
  },
});

/** Shows the live sessions on another machine; its stored conversations stay there. */
async function showThere(machine: Placement, hasOthers: boolean): Promise<number> {
  if (hasOthers) throw new SymposiumError("invalid-arguments", "--on can't be used with --cwd or --archived.");
  const remote = remoteHost(machine, defaultMaxLineBytes);
  const sessionsIn = (status: string): readonly ListedConversation[] =>
    listedConversations([], statusOf(status).sessions);
  const first = sessionsIn(await statusThere(machine, remote));
  if (canWatch()) return watch({ load: async () => sessionsIn(await askRemoteHost(remote)), remote });
  return first.length === 0 ? say(`There are no live sessions on ${remote.name}.`) : print(first);
}

function canWatch(): boolean {
  return canChoose() && process.env["TERM"] !== "dumb";
}

function print(conversations: readonly ListedConversation[]): Promise<number> {
  const style = Style.of(process.stdout, process.env);
  const look = { columns: Infinity, hasIds: true, style, now: Date.now(), homeFolder: homedir() };
  const rows = boardRows(conversations, look).map(({ text, conversation }) => (conversation ? `  ${text}` : text));
  return say([boardSummary(conversations), ...rows].join("\n"));
}

interface Watched {
  readonly load: () => Promise<readonly ListedConversation[]>;
  readonly isArchive?: boolean;
  /** Other machine of the sessions. */
  readonly remote?: RemoteHost;
}

async function watch({ load, isArchive = false, remote }: Watched): Promise<number> {
  const screen = new BoardScreen({
    input: process.stdin,
    output: process.stdout,
    style: Style.of(process.stdout, process.env),
    homeFolder: homedir(),
    load,
    ...(remote && { refreshMs: remoteRefreshMs }),
    async stop({ live, cwd }) {
      if (!live) return;
      const session = { sessionId: live.sessionId, cwd };
      if (remote) await askRemoteHost(remote, { kind: "stop-session", ...session });
      else await stopSession(session);
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
      const exitCode = await open(chosen, remote?.name);
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

async function open({ stored, live }: ListedConversation, on: string | undefined): Promise<number> {
  if (live) {
    const { talkInHost } = await import("../chat-in-host.js");
    return talkInHost({ attach: live.sessionId, ...(on !== undefined && { on }) }, undefined, "");
  }
  const { continueSession } = await import("./continue.js");
  return stored ? continueSession([stored.id]) : 0;
}
