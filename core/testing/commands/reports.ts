import { Json } from "../../src/base/rpc/json.js";
import { Notification } from "../../src/base/rpc/message.js";
import {
  sampleContent,
  samplePlans,
  sampleToolCalls,
  sampleUsage,
  stableUpdates,
  unknownContent,
  unknownUpdates,
  unstableUpdates,
} from "../sample-updates.js";
import type { ScriptCommands, ScriptTurn } from "../script-turn.js";

/** Commands that only send updates. */
export const reports: ScriptCommands = {
  echo: {
    usage: "echo TEXT: says the text",
    run(turn, text) {
      turn.say(text);
      return undefined;
    },
  },
  stream: {
    usage: "stream N BYTES: N message chunks of BYTES characters, each beginning with its number",
    run: stream,
  },
  updates: {
    usage: "updates: every kind of session/update, stable and unstable, an unknown kind and unknown members",
    run: (turn) => sendAll(turn, [...stableUpdates, ...unstableUpdates, ...unknownUpdates]),
  },
  content: {
    usage: "content: every kind of content block",
    run: (turn) =>
      sendAll(
        turn,
        [...sampleContent, unknownContent].map((content) => ({ sessionUpdate: "agent_message_chunk", content })),
      ),
  },
  tool_calls: {
    usage: "tool_calls: every kind and status of tool call, with diffs, a terminal, text and locations",
    run: (turn) => sendAll(turn, sampleToolCalls),
  },
  plan: { usage: "plan: a plan in three steps", run: (turn) => sendAll(turn, samplePlans) },
  usage: {
    usage: "usage: a usage update, and the token usage of the turn in its result",
    run(turn) {
      turn.resultMembers["usage"] = { totalTokens: 30, inputTokens: 20, outputTokens: 10, cachedReadTokens: 5 };
      turn.update(sampleUsage);
      return undefined;
    },
  },
};

function sendAll(turn: ScriptTurn, updates: readonly Readonly<Record<string, unknown>>[]): undefined {
  for (const update of updates) turn.update(update);
  return undefined;
}

/** Sends in one go where the channel takes it, and goes on whenever a full channel has drained. */
function stream(turn: ScriptTurn, argument: string): Promise<undefined> | undefined {
  const [count = 0, size = 0] = argument.split(/\s+/).map(Number);
  const send = chunkSender(turn, size);
  let sent = 0;
  const isFinished = (): boolean => {
    while (sent < count && !turn.options.flow.isCongested && turn.cancelledBy === undefined) send(++sent);
    return sent >= count || turn.cancelledBy !== undefined;
  };
  return isFinished() ? undefined : finishStream(turn, isFinished);
}

async function finishStream(turn: ScriptTurn, isFinished: () => boolean): Promise<undefined> {
  do await turn.options.flow.drained();
  while (!isFinished());
}

function chunkSender(turn: ScriptTurn, size: number): (number: number) => void {
  const head = `{"sessionId":${JSON.stringify(turn.sessionId)},"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`;
  const filler = ".".repeat(size);
  return (number) => {
    const text = `${number} `.slice(0, size);
    const params = `${head}${text}${filler.slice(text.length)}"}}}`;
    turn.options.client.notify(new Notification("session/update", Json.ofText(params)));
  };
}
