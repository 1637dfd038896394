import { SymposiumError } from "../../src/base/symposium-error.js";
import { Json } from "../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import type { ScriptCommands, ScriptStep, ScriptTurn } from "../script-turn.js";

/** Lines that are no messages; the last ones are JSON, and still none. */
const garbageLines = [
  "npm warn deprecated something@1.0.0: please upgrade",
  '{"jsonrpc":"2.0","method":"session/update",',
  "}{",
  '{"level":"info","msg":"a log line in JSON"}',
  "[1,2,3]",
  '"a string"',
  "null",
  "\u0000\u0007 control characters",
];

/** Commands that break the rules of the wire or of processes. Most need the agent to run as a process. */
export const misbehaviour: ScriptCommands = {
  crash: {
    usage: "crash CODE: exits with that code, with a line on stderr",
    run(turn, code) {
      turn.options.faults.writeStderr(`scripted crash with code ${code}\n`);
      return exit(turn, Number(code));
    },
  },
  exit_silently: { usage: "exit_silently: exits with 0 and says nothing", run: (turn) => exit(turn, 0) },
  garbage: {
    usage: "garbage: lines that are no messages, between two messages",
    run(turn) {
      turn.say("before the garbage");
      turn.options.faults.write(`${garbageLines.join("\n")}\n`);
      turn.say("after the garbage");
      return undefined;
    },
  },
  oversize: {
    usage: "oversize BYTES [update|result|request]: one line of that size (a result is larger by the digits of its id)",
    run: sendOversize,
  },
  truncated: {
    usage: "truncated: half a line, then exits with 0",
    run(turn) {
      turn.options.faults.write('{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses');
      return exit(turn, 0);
    },
  },
  stop_reading: {
    usage: "stop_reading: ends the turn, and reads nothing any more",
    run(turn) {
      turn.options.faults.stopReading();
      return undefined;
    },
  },
  ignore_eof: {
    usage: "ignore_eof: from now on stays when the input ends",
    run(turn) {
      turn.options.faults.ignoreEndOfInput();
      return undefined;
    },
  },
  stderr: {
    usage: "stderr TEXT: writes a line to stderr",
    run(turn, text) {
      turn.options.faults.writeStderr(`${text}\n`);
      return undefined;
    },
  },
  child: {
    usage: "child: starts a process that ignores the end of this one, and says `child PID`",
    run(turn) {
      turn.say(`child ${turn.options.faults.startChild() ?? "failed"}`);
      return undefined;
    },
  },
};

function exit(turn: ScriptTurn, code: number): Promise<undefined> {
  turn.options.faults.exit(code);
  return new Promise(() => undefined);
}

function sendOversize(turn: ScriptTurn, argument: string): ScriptStep {
  const [bytes = "0", kind = "update"] = argument.split(/\s+/);
  const sessionId = JSON.stringify(turn.sessionId);
  if (kind === "result") {
    return Outcome.result(
      filled('{"stopReason":"end_turn","_meta":{"filler":"', '"}}', Number(bytes) - emptyResult.length),
    );
  }
  if (kind === "request") {
    const empty = new Request("_test.example/large", Json.ofText('{"filler":""}')).textWithId("1");
    const params = filled('{"filler":"', '"}', Number(bytes) - empty.length + '{"filler":""}'.length);
    return askLarge(turn, params);
  }
  const head = `{"sessionId":${sessionId},"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`;
  const empty = new Notification("session/update", Json.ofText("")).text;
  const params = filled(head, '"}}}', Number(bytes) - empty.length);
  turn.options.client.notify(new Notification("session/update", params));
  return undefined;
}

const emptyResult = Outcome.result(Json.ofText("")).textWithId("");

/** JSON text of exactly `length` characters, filled up between head and tail. */
function filled(head: string, tail: string, length: number): Json {
  const missing = length - head.length - tail.length;
  if (missing < 0)
    throw new SymposiumError("invalid-arguments", `A message cannot be ${-missing} characters shorter than its frame.`);
  return Json.ofText(head + "x".repeat(missing) + tail);
}

function askLarge(turn: ScriptTurn, params: Json): Promise<Outcome | undefined> {
  return new Promise((resolve) => {
    turn.options.client.request(new Request("_test.example/large", params), (outcome) => {
      turn.say(`_test.example/large ${outcome.isError ? "error" : "result"} ${outcome.json.text}`);
      resolve(undefined);
    });
  });
}

/** The result of `numbers` as it stands on the wire: spellings that a parser would change. */
export const numbersResult =
  '{"stopReason":"end_turn","_meta":{"test.example/numbers":{"u64":18446744073709551615,"i64":-9223372036854775808,"float":1.0,"exponent":1E3,"small":0.10}}}';

/** Commands that decide how the turn ends. */
export const endings: ScriptCommands = {
  wait_for_cancel: {
    usage: "wait_for_cancel: ends when session/cancel or $/cancel_request arrives, and says which",
    async run(turn) {
      turn.say("waiting");
      turn.say(`cancelled by ${await turn.cancelled}`);
      return undefined;
    },
  },
  wait_for_steering: {
    usage: "wait_for_steering [silently]: goes on when something is said into the turn, and says what",
    async run(turn, how) {
      if (how === "") turn.say("listening");
      const said = await Promise.race([turn.steered, turn.cancelled]);
      if (how === "") turn.say(`heard ${said}`);
      return undefined;
    },
  },
  numbers: {
    usage: "numbers: an update and a result with 64-bit integers and spellings such as 1.0",
    run(turn) {
      const params = `{"sessionId":${JSON.stringify(turn.sessionId)},"update":{"sessionUpdate":"usage_update","used":1.0,"size":18446744073709551615}}`;
      turn.options.client.notify(new Notification("session/update", Json.ofText(params)));
      return Outcome.result(Json.ofText(numbersResult));
    },
  },
  null_result: { usage: "null_result: answers null", run: () => Outcome.result(Json.null) },
  error: {
    usage: "error CODE MESSAGE: answers an error with data",
    run(_turn, argument) {
      const [, code = "-32603", message = ""] = /^(-?\d+)\s*(.*)$/.exec(argument) ?? [];
      return Outcome.error(
        new RpcError(Number(code), message, { command: "error", details: ["first", { second: 2 }] }),
      );
    },
  },
  hang: { usage: "hang: never answers, whatever arrives", run: () => new Promise(() => undefined) },
};
