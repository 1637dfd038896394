import type { Change } from "../../protocol/index.js";
import { numberOf, objectOf, stringOf, type WireObject } from "./wire.js";

/**
 * Output of a command that the agent runs itself and sends in the `_meta` of a tool call, in the order of the wire.
 * `terminal_output` and `terminal_output_delta` both add to what was sent before (the convention that Zed and the
 * adapters of Claude and Codex follow). A terminal without an id is the tool call's own.
 */
export function toTerminalChanges(update: WireObject): Change[] {
  const meta = objectOf(update["_meta"]);
  if (meta === undefined) return [];
  const own = stringOf(update["toolCallId"]);
  const changes: Change[] = [];
  for (const key of ["terminal_output", "terminal_output_delta"]) {
    const output = objectOf(meta[key]);
    const text = stringOf(output?.["data"]);
    const terminalId = stringOf(output?.["terminal_id"]) ?? own;
    if (text !== undefined && text !== "" && terminalId !== undefined) {
      changes.push({ op: "terminal", terminalId, text });
    }
  }
  const exit = objectOf(meta["terminal_exit"]);
  const terminalId = stringOf(exit?.["terminal_id"]) ?? own;
  if (exit && terminalId !== undefined) {
    const code = numberOf(exit["exit_code"]) ?? null;
    changes.push({ op: "terminal", terminalId, text: "", exit: { code, signal: stringOf(exit["signal"]) ?? null } });
  }
  return changes;
}

/** The terminal that a tool call announces in its `_meta`, for agents that send no content of type terminal. */
export function announcedTerminal(update: WireObject): string | undefined {
  const info = objectOf(objectOf(update["_meta"])?.["terminal_info"]);
  return info && (stringOf(info["terminal_id"]) ?? stringOf(update["toolCallId"]));
}
