import { conversationMarkdown } from "../../../sessions/conversations/conversation-markdown.js";
import { recordsOf } from "../../../sessions/conversations/node/stored-lines.js";
import { write } from "../output.js";
import { subcommand } from "../subcommand.js";
import { safeText } from "../terminal-chat/safe-text.js";
import { forScreen } from "../wrapped-text.js";
import { findSession } from "./find-session.js";
import { sessionLine } from "./list.js";

export const show = subcommand({
  name: "sessions show",
  about: "Show a conversation: prompts, answers, tool calls.",
  arguments: { "<ID>": "an id from `sessions list`, or `last`" },
  options: { json: { about: "print the fields of `sessions list --json` and every recorded message" } },
  async run({ values, positionals: [id = ""] }) {
    const { session, file } = await findSession(id);
    if (values.json === true) await write([`${JSON.stringify({ ...session, records: [...recordsOf(file)] })}\n`]);
    else await write(text());
    return 0;

    function* text(): Generator<string> {
      yield `${forScreen(sessionLine(session), process.stdout)}\n\n`;
      for (const part of conversationMarkdown(recordsOf(file))) yield forScreen(safeText(part), process.stdout);
    }
  },
});
