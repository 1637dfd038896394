import type { Exit } from "../../../protocol/index.js";
import { numberOf, objectOf, stringOf, type WireObject } from "../wire.js";

/**
 * How the command of a tool call ended, where the agent tells it: in `_meta.terminal_exit`, as the adapters of Claude and
 * Codex do, or in its raw output, which OpenCode calls `metadata.exit`. ACP itself has no member for it.
 */
export function exitOf(update: WireObject): Exit | undefined {
  const told = objectOf(objectOf(update["_meta"])?.["terminal_exit"]);
  const output = objectOf(update["rawOutput"]);
  const code =
    numberOf(told?.["exit_code"]) ??
    numberOf(output?.["exit_code"]) ??
    numberOf(output?.["exitCode"]) ??
    numberOf(objectOf(output?.["metadata"])?.["exit"]);
  const signal = stringOf(told?.["signal"]) ?? stringOf(output?.["signal"]);
  return code === undefined && signal === undefined ? undefined : { code: code ?? null, signal: signal ?? null };
}
