import { Json } from "../../rpc/json.js";
import { Notification, Outcome } from "../../rpc/message.js";
import { RpcError } from "../../rpc/rpc-error.js";
import type { ScriptCommands } from "../script-command.js";

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
