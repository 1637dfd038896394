import { writeFile } from "node:fs/promises";
import { invalidArguments, messageOf } from "../../../base/symposium-error.js";
import { conversationMarkdown } from "../../../sessions/conversations/conversation-markdown.js";
import { readHandOff } from "../../../sessions/conversations/node/read-hand-off.js";
import { linesOf, recordsOf } from "../../../sessions/conversations/node/stored-lines.js";
import { systemCode } from "../../../base/node/atomic-write.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { write } from "../output.js";
import { subcommand } from "../subcommand.js";
import { safeText } from "../terminal-chat/safe-text.js";
import { findSession } from "./find-session.js";

/**
 * `sessions export ID`: writes a conversation as Markdown or JSON Lines to stdout or a new file. Removes control characters for a terminal.
 */
export const exportSession = subcommand({
  name: "sessions export",
  about:
    "Export a conversation as Markdown (md), as JSON Lines with all messages to the editor (jsonl), or as the short document " +
    "that another agent gets to continue it (handoff).",
  arguments: { "<ID>": "an id from `sessions list`, or `last`" },
  options: {
    format: { value: "md|jsonl|handoff", choices: ["md", "jsonl", "handoff"], about: "the format (default: md)" },
    output: { value: "FILE", about: "write to FILE, readable only by you, instead of stdout" },
  },
  async run({ values, positionals: [id = ""] }) {
    const { format = "md", output } = values;
    const { session, file } = await findSession(id);
    const parts =
      format === "md"
        ? markdown(session.title, file)
        : format === "jsonl"
          ? jsonLines(file)
          : await document(session.id);
    const isShown = format !== "jsonl" && process.stdout.isTTY;
    if (output === undefined) await write(isShown ? safe(parts) : parts);
    else await writeNew(output, parts);
    return 0;
  },
});

function* safe(parts: Iterable<string>): Generator<string> {
  for (const part of parts) yield safeText(part);
}

function* markdown(title: string, file: string): Generator<string> {
  yield `# ${title === "" ? "Conversation" : title}\n\n`;
  yield* conversationMarkdown(recordsOf(file));
}

function* jsonLines(file: string): Generator<string> {
  for (const line of linesOf(file)) yield `${line}\n`;
}

async function document(id: string): Promise<readonly string[]> {
  const blocks = await readHandOff({ folder: sessionsFolder(), id, hasLookUp: false });
  return blocks.map(({ resource }) => `${resource.text}\n`);
}

async function writeNew(file: string, parts: Iterable<string>): Promise<void> {
  try {
    await writeFile(file, parts, { flag: "wx", mode: 0o600 });
  } catch (fault) {
    const hint = systemCode(fault) === "EEXIST" ? "Give a file that does not exist yet." : "Check the folder.";
    throw invalidArguments(`${file} cannot be written: ${messageOf(fault)}.`, hint);
  }
}
