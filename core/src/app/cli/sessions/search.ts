import { invalidArguments } from "../../../base/symposium-error.js";
import { searchSessions } from "../../../sessions/conversations/node/search-sessions.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import { sessionsFolder } from "../../recorded-conversations.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";
import { waitingFor } from "../waiting-line.js";
import { sessionLine } from "./list.js";

export const search = subcommand({
  name: "sessions search",
  about: "Search prompts, answers, and input and output of tools. Case doesn't matter.",
  arguments: { "<TEXT>": "the text to find" },
  options: { json: { about: "print matches as one line of JSON" } },
  async run({ values, positionals: [text = ""] }) {
    if (text.trim() === "") {
      throw invalidArguments("sessions search needs the text to find.", "Give the words to look for.");
    }
    const found = await waitingFor("Searching", searchSessions(sessionsFolder(), text, { sessions: 50, hits: 5 }));
    if (values.json === true) return say(JSON.stringify(found));
    if (found.length === 0) return say(`No conversation contains "${plainText(text)}".`);
    return say(
      found
        .map(({ session, hits }) =>
          [
            sessionLine(session),
            ...hits.map(({ turn, who, excerpt }) => `    turn ${turn}, ${who}: ${plainText(excerpt)}`),
          ].join("\n"),
        )
        .join("\n"),
    );
  },
});
