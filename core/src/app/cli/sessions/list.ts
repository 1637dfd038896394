import { join, resolve } from "node:path";
import { SymposiumError } from "../../../base/symposium-error.js";
import { damagedFiles, listFiles, sessionEnding } from "../../../sessions/conversations/node/session-index.js";
import type { StoredSession } from "../../../sessions/conversations/node/stored-session.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { say, warn } from "../registry/output.js";
import { subcommand } from "../subcommand.js";
import { shortId } from "../../../sessions/conversations/node/named-session.js";

const usualCount = 50;

export const list = subcommand({
  name: "sessions list",
  about: "List conversations, newest first: id, last use, agent, turns, title, folder.",
  options: {
    cwd: { value: "DIR", about: "only conversations of this folder" },
    limit: { value: "N", about: `maximum number (default: ${usualCount}; all with --json)` },
    json: { about: "print all fields as one line of JSON" },
  },
  async run({ values }) {
    const folder = values.cwd === undefined ? undefined : resolve(values.cwd);
    const files = await listFiles(sessionsFolder());
    const sessions = files.flatMap(({ session }) => session ?? []);
    const all = sessions.filter(({ cwd }) => folder === undefined || cwd === folder);
    // Damaged files are listed regardless of folder, since their folder is unknown.
    for (const { id } of damagedFiles(files)) warn(damagedLine(join(sessionsFolder(), `${id}${sessionEnding}`)));
    const limit = values.limit === undefined ? (values.json === true ? all.length : usualCount) : countOf(values.limit);
    const shown = all.slice(0, limit);
    if (values.json === true) return say(JSON.stringify(shown));
    if (all.length === 0) {
      const where = folder === undefined ? "" : ` whose folder is ${plainText(folder, 4_000)},`;
      return say(`There are no conversations${where} in ${plainText(sessionsFolder(), 4_000)}.`);
    }
    const rest = all.length - shown.length;
    return say([...shown.map(sessionLine), ...(rest > 0 ? [`${rest} more; --limit N shows them.`] : [])].join("\n"));
  },
});

export function sessionLine({ id, updated, agent, turns, title, cwd, branch }: StoredSession): string {
  const time = new Date(updated).toISOString().slice(0, 16).replace("T", " ");
  const place = branch === undefined ? plainText(cwd, 200) : `${plainText(cwd, 200)} (${plainText(branch, 80)})`;
  const count = turns === 1 ? "1 turn" : `${turns} turns`;
  const name = title === "" ? "(no title)" : plainText(title);
  return `${shortId(id)}  ${time}  ${plainText(agent, 60)}, ${count}: ${name}\n    ${place}`;
}

/** Written to stderr, so that readers of the JSON list get only conversations. */
function damagedLine(file: string): string {
  return `Damaged: ${plainText(file, 4_000)}: its first line cannot be read, so it is no conversation of this list. Mend that line, or delete the file; if a later version wrote it, update.`;
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new SymposiumError("invalid-arguments", `--limit ${text} is no count.`, "Give a whole number above 0.");
}
