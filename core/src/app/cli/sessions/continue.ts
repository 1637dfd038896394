import { Writable } from "node:stream";
import { invalidArguments } from "../../../base/symposium-error.js";
import { flushed, talkWith } from "../chat.js";
import { commonOptions } from "../options.js";
import { subcommand } from "../subcommand.js";
import { say } from "../output.js";
import { findSession, folderOf } from "./find-session.js";

export const continueSession = subcommand({
  name: "sessions continue",
  about:
    "Continue a conversation in this terminal, with any agent. The agent gets a summary and can look up the rest. The old conversation isn't " +
    "changed. With a prompt, prints one answer and exits.",
  arguments: { "<ID>": "an id from `sessions list`, or `last`", "[PROMPT...]": "the prompt" },
  options: {
    agent: { value: "X", about: "use this agent, as for run-with, instead of the configured agent" },
    turn: { value: "N", about: "continue after turn N" },
    yes: { about: "allow all permission requests" },
    no: { about: "reject all permission requests" },
    json: { about: "with a prompt: print the answer as one line of JSON" },
    ...commonOptions,
  },
  async run({ values, positionals: [id = "", ...words] }) {
    const { session } = await findSession(id);
    const turn = values.turn === undefined ? undefined : turnOf(values.turn, session.turns);
    const cwd = await folderOf(session);
    const continues = { conversation: session.id, ...(turn !== undefined && { turn }) };
    const prompt = words.length === 0 ? undefined : words.join(" ");
    if (values.json !== true) return flushed(await talkWith(values, { prompt, cwd, continues }));
    if (prompt === undefined) {
      throw invalidArguments("sessions continue: --json needs a prompt.", "Give one.");
    }
    let answer = "";
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        answer += chunk.toString();
        done();
      },
    });
    const exitCode = await talkWith(values, { prompt, cwd, continues, output });
    await say(JSON.stringify({ conversation: session.id, answer, exitCode }));
    return exitCode;
  },
});

function turnOf(text: string, last: number): number {
  const turn = Number(text);
  if (Number.isInteger(turn) && turn > 0 && turn <= last) return turn;
  throw invalidArguments(`--turn ${text} isn't a turn of this conversation.`, `Give a number from 1 to ${last}.`);
}
