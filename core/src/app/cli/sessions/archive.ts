import { setArchived } from "../../../sessions/conversations/node/archived-sessions.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { jsonOption } from "../options.js";
import { sayResult, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { findSession } from "./find-session.js";

const idsArgument = { "<ID...>": "ids from `sessions list`, or `last`" };

export const archive = subcommand({
  name: "sessions archive",
  about: "Archive conversations. The board then leaves them out, until they are used again.",
  arguments: idsArgument,
  options: jsonOption,
  run: ({ values, positionals }) => change(values, positionals, true),
});

export const unarchive = subcommand({
  name: "sessions unarchive",
  about: "Move conversations out of the archive.",
  arguments: idsArgument,
  options: jsonOption,
  run: ({ values, positionals }) => change(values, positionals, false),
});

async function change(
  values: { readonly json?: true },
  words: readonly string[],
  isArchived: boolean,
): Promise<number> {
  const ids = await Promise.all(words.map(async (word) => (await findSession(word)).session.id));
  await archiveConversations(ids, isArchived);
  const count = ids.length === 1 ? "1 conversation is" : `${ids.length} conversations are`;
  const text = isArchived ? `${count} archived.` : `${count} no longer archived.`;
  await sayResult(values, { [isArchived ? "archived" : "unarchived"]: ids }, text);
  return 0;
}

/** Moves conversations to the archive or out of it. */
export async function archiveConversations(ids: readonly string[], isArchived: boolean): Promise<void> {
  const aside = await setArchived(sessionsFolder(), ids, isArchived);
  if (aside !== undefined) warn(`The list of archived conversations was damaged and has been moved to ${aside}.`);
}
