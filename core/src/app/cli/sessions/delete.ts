import { invalidArguments } from "../../../base/symposium-error.js";
import { noteDeleted } from "../../../sessions/conversations/node/deleted-sessions.js";
import { removeSession, removeUnfinished } from "../../../sessions/conversations/node/session-folder.js";
import { listFiles, listSessions } from "../../../sessions/conversations/node/session-index.js";
import type { StoredSession } from "../../../sessions/conversations/node/stored-session.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { confirms } from "../choices.js";
import { sayResult, warn } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { shortId } from "../../../sessions/conversations/node/named-session.js";
import { findSession } from "./find-session.js";

/**
 * `sessions delete ID... | --all [--yes]`: deletes conversation files, except those open in an editor. `--all` asks for confirmation in a
 * terminal.
 */
export const deleteSessions = subcommand({
  name: "sessions delete",
  about: "Delete conversations from this machine. Agents keep their own copies.",
  arguments: { "[ID...]": "ids from `sessions list`, or `last`" },
  options: {
    all: { about: "delete every conversation that is not open, after confirmation" },
    yes: { about: "with --all: skip the confirmation" },
    ...jsonOption,
  },
  async run({ values, positionals }) {
    if ((values.all === true) === positionals.length > 0 || (values.yes === true && values.all !== true)) {
      const usage = "symposium-acp-agent sessions delete ID..., or sessions delete --all [--yes].";
      throw invalidArguments("sessions delete takes ids or --all. --yes requires --all.", usage);
    }
    const folder = sessionsFolder();
    const named = await Promise.all(positionals.map(async (word) => (await findSession(word)).session));
    const chosen =
      values.all === true ? await listFiles(folder) : named.map((session) => ({ id: session.id, session }));
    if (values.all === true && values.yes !== true && chosen.length > 0 && !(await mayDelete(chosen.length))) {
      return sayResult(values, { deleted: [], kept: chosen.map(({ id }) => id) }, "Nothing is deleted.");
    }
    const { deleted, kept, aside } = await deleteConversations(folder, chosen);
    for (const id of kept) warn(`${shortId(id)} is open in an editor and was not deleted. Close it there first.`);
    if (aside !== undefined) warn(`The list of deleted conversations was damaged and has been moved to ${aside}.`);
    if (values.all === true) await removeUnfinished(folder);
    const count = deleted.length === 1 ? "1 conversation is" : `${deleted.length} conversations are`;
    await sayResult(values, { deleted, kept }, `${count} deleted.`);
    return kept.length === 0 ? 0 : 1;
  },
});

interface Deletion {
  readonly deleted: readonly string[];
  /** Ids of conversations that weren't deleted because they are open. */
  readonly kept: readonly string[];
  /** Path of an unreadable list of deleted conversations, which was set aside. */
  readonly aside: string | undefined;
}

/** Deletes conversation files, except those open in an editor. */
export async function deleteConversations(
  folder: string,
  chosen: readonly { readonly id: string; readonly session?: StoredSession }[],
): Promise<Deletion> {
  const deleted: string[] = [];
  const kept: string[] = [];
  const sessions: StoredSession[] = [];
  for (const { id, session } of chosen) {
    const isDeleted = await removeSession(folder, id);
    (isDeleted ? deleted : kept).push(id);
    if (isDeleted && session) sessions.push(session);
  }
  const aside = await noteDeleted(folder, sessions);
  // Rebuilds the index without the deleted conversations.
  await listSessions(folder);
  return { deleted, kept, aside };
}

/** Asks for confirmation in the terminal; without a terminal, `--yes` is required. */
async function mayDelete(count: number): Promise<boolean> {
  const what = count === 1 ? "The only conversation stored here" : `All ${count} conversations stored here`;
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    throw invalidArguments(
      `${what} would be deleted, but there is no terminal for the confirmation.`,
      "Nothing was deleted. To delete without confirmation, add --yes.",
    );
  }
  return confirms(`${what} will be deleted, which cannot be undone. Delete?`);
}
