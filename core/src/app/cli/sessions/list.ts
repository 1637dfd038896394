import { join, resolve } from "node:path";
import { damagedFiles, listFiles, sessionEnding } from "../../../sessions/conversations/node/session-index.js";
import type { StoredSession } from "../../../sessions/conversations/node/stored-session.js";
import { displayNameOf } from "../../../agents/registry/built-in-agents.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { say, warn } from "../output.js";
import { subcommand } from "../subcommand.js";
import { shortId } from "../../../sessions/conversations/node/named-session.js";
import { type ListedConversation, listedConversations, liveOrWarn } from "./live-and-stored.js";

const usualCount = 50;

export const list = subcommand({
  name: "sessions list",
  about:
    "List conversations, newest first: id, last use, agent, turns, title, folder. Sessions that the host runs also show " +
    "their state: working, waiting for an answer, idle or failed.",
  options: {
    cwd: { value: "DIR", about: "only conversations of this folder" },
    limit: { value: "N", isCount: true, about: `maximum number (default: ${usualCount}; all with --json)` },
    json: { about: "print all fields as one line of JSON" },
  },
  async run({ values }) {
    const folder = values.cwd === undefined ? undefined : resolve(values.cwd);
    const files = await listFiles(sessionsFolder());
    const sessions = files.flatMap(({ session }) => session ?? []);
    const all = listedConversations(sessions, await liveOrWarn()).filter(
      ({ cwd }) => folder === undefined || cwd === folder,
    );
    // Damaged files are listed regardless of folder, since their folder is unknown.
    for (const { id } of damagedFiles(files)) warn(damagedLine(join(sessionsFolder(), `${id}${sessionEnding}`)));
    const shown = all.slice(0, values.limit ?? (values.json === true ? all.length : usualCount));
    if (values.json === true) return say(JSON.stringify(shown.map(jsonOf)));
    if (all.length === 0) {
      const where = folder === undefined ? "" : ` for ${plainText(folder, 4_000)}`;
      return say(`There are no conversations${where} in ${plainText(sessionsFolder(), 4_000)}.`);
    }
    const rest = all.length - shown.length;
    return say(
      [...shown.map(conversationLine), ...(rest > 0 ? [`${rest} more. Use --limit N to show more.`] : [])].join("\n"),
    );
  },
});

function jsonOf({ title, cwd, updated, stored, live }: ListedConversation): object {
  const session = stored ?? (live && { session: live.sessionId, cwd, title, updated });
  return { ...session, ...(live && { state: live.state }) };
}

function conversationLine({ title, cwd, updated, stored, live }: ListedConversation): string {
  if (stored) return sessionLine(stored, live?.state);
  const { sessionId = "", state = "" } = live ?? {};
  return lineOf(plainText(sessionId), updated, `${stateText(state)}, not stored`, title, plainText(cwd, 200));
}

export function sessionLine({ id, updated, agent, turns, title, cwd, branch }: StoredSession, state?: string): string {
  const place = branch === undefined ? plainText(cwd, 200) : `${plainText(cwd, 200)} (${plainText(branch, 80)})`;
  const count = turns === 1 ? "1 turn" : `${turns} turns`;
  const parts = [plainText(displayNameOf(agent), 60), count, ...(state === undefined ? [] : [stateText(state)])];
  return lineOf(shortId(id), updated, parts.join(", "), title, place);
}

function lineOf(id: string, updated: number, facts: string, title: string, place: string): string {
  const time = new Date(updated).toISOString().slice(0, 16).replace("T", " ");
  return `${id}  ${time}  ${facts}: ${title === "" ? "(no title)" : plainText(title)}\n    ${place}`;
}

function stateText(state: string): string {
  return state === "waiting" ? "waiting for an answer" : plainText(state);
}

/** Formats a line about a damaged file. The line goes to stderr, so that readers of the JSON list get only conversations. */
function damagedLine(file: string): string {
  return (
    `Damaged: ${plainText(file, 4_000)}: its first line can't be read, so it isn't listed. Fix that line or delete the file; if a ` +
    "later version of Symposium wrote it, update Symposium."
  );
}
