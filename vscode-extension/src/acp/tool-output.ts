import { asObject, numberOf, objectsOf, stringOf } from "@symposium-dev/core";
import type { Change, Exit } from "../../protocol/index.js";
import type { SessionUpdate } from "./fold-target.js";
import { boundedJson } from "./tool-content.js";

/**
 * Returns how a tool call's command ended. The Claude and Codex adapters report it in `_meta.terminal_exit`, OpenCode in `metadata.exit` of
 * the raw output; ACP has no member for it.
 */
export function exitOf(update: SessionUpdate): Exit | undefined {
  const reported = asObject(update._meta?.["terminal_exit"]);
  const output = asObject(update.rawOutput);
  const code =
    numberOf(reported?.["exit_code"]) ??
    numberOf(output?.["exit_code"]) ??
    numberOf(output?.["exitCode"]) ??
    numberOf(asObject(output?.["metadata"])?.["exit"]);
  const signal = stringOf(reported?.["signal"]) ?? stringOf(output?.["signal"]);
  return code === undefined && signal === undefined ? undefined : { code: code ?? null, signal: signal ?? null };
}

export function fullOutputOf(raw: SessionUpdate): string {
  const texts = objectsOf(raw.content).flatMap((part) => stringOf(asObject(part["content"])?.["text"]) ?? []);
  return texts.length > 0 ? texts.join("\n") : boundedJson(raw.rawOutput, Infinity);
}

/**
 * Returns the output of a command that the agent runs itself, in wire order. `terminal_output` and `terminal_output_delta` both append, a
 * convention of Zed and the Claude and Codex adapters; output without a terminal id belongs to the tool call's own terminal.
 */
export function toTerminalChanges(update: SessionUpdate): Change[] {
  const meta = asObject(update._meta);
  if (meta === undefined) return [];
  const own = stringOf(update.toolCallId);
  const changes: Change[] = [];
  for (const key of ["terminal_output", "terminal_output_delta"]) {
    const output = asObject(meta[key]);
    const text = stringOf(output?.["data"]);
    const terminalId = stringOf(output?.["terminal_id"]) ?? own;
    if (text !== undefined && text !== "" && terminalId !== undefined) {
      changes.push({ op: "terminal", terminalId, text });
    }
  }
  const exit = asObject(meta["terminal_exit"]);
  const terminalId = stringOf(exit?.["terminal_id"]) ?? own;
  if (exit && terminalId !== undefined) {
    const code = numberOf(exit["exit_code"]) ?? null;
    changes.push({ op: "terminal", terminalId, text: "", exit: { code, signal: stringOf(exit["signal"]) ?? null } });
  }
  return changes;
}
