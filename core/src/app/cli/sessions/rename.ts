import { invalidArguments } from "../../../base/symposium-error.js";
import { shortId } from "../../../sessions/conversations/node/named-session.js";
import { renameSession } from "../../../sessions/conversations/node/rename-session.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { sayResult } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { findSession } from "./find-session.js";

export const rename = subcommand({
  name: "sessions rename",
  about: "Rename a conversation.",
  arguments: { "<ID>": "an id from `sessions list`, or `last`", "<TITLE>": "the new title" },
  options: jsonOption,
  async run({ values, positionals: [word = "", title = ""] }) {
    if (title.trim() === "") throw invalidArguments("The title is empty.", "Give one.");
    const { session } = await findSession(word);
    if (await renameSession(sessionsFolder(), session, title)) {
      return values.json === true ? sayResult(values, { renamed: session.id, title }, "") : 0;
    }
    const problem = `${shortId(session.id)} is open in an editor, so its title was not changed.`;
    throw invalidArguments(problem, "Close it there first.");
  },
});
