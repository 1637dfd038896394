import { updatedToolCall } from "../../base/acp/tool-call.js";
import { asObject, type Members, objectsOf, stringOf, textOf } from "../../base/rpc/json.js";
import { requestedCommand } from "../../base/safety/requested-command.js";
import { textOfBlocks } from "./stored-record.js";

interface ChangedFile {
  /** Path as the agent wrote it. */
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
  readonly added: number;
  readonly removed: number;
}

export interface PastCall {
  /** Reference for looking up the call, such as `t12c3` for the third call of turn 12. */
  readonly ref: string;
  readonly title: string;
  /** ACP kind, such as `read`, `edit` or `execute`; "" if the agent gives none. */
  readonly kind: string;
  readonly status: string;
  readonly command?: string;
  readonly exitCode?: number;
  readonly changes: readonly ChangedFile[];
  /** Files that the call names without changing them. */
  readonly paths: readonly string[];
  /** The last part of the call's output, without formatting. */
  readonly output: string;
}

/** Number of characters at the end of an output to store, which usually show the result. */
const outputEnd = 1_000;

/** Tool calls of one turn in start order. */
export class PastCalls {
  readonly #calls = new Map<string, Members>();

  /** `before` is the number of earlier calls in the same turn that another object has counted. */
  constructor(
    private readonly turn: number,
    private readonly before = 0,
  ) {}

  get isEmpty(): boolean {
    return this.#calls.size === 0;
  }

  /** Number of calls in the turn, including those before this object's first call. */
  get count(): number {
    return this.before + this.#calls.size;
  }

  /** Applies a `tool_call` or `tool_call_update`, whose members replace earlier ones. */
  take(update: Members): void {
    const id = String(update["toolCallId"]);
    this.#calls.set(id, updatedToolCall(this.#calls.get(id), summaryOf(update)));
  }

  get all(): readonly PastCall[] {
    return [...this.#calls.values()].map((call, index) => callOf(call, refOf(this.turn, this.before + index + 1)));
  }
}

/** Returns the reference of a turn's call; `place` starts at 1. */
export function refOf(turn: number, place: number): string {
  return `t${turn}c${place}`;
}

/** Reduces a tool call update to the sizes of its changes and the end of its output, to limit memory. */
function summaryOf(update: Members): Members {
  const { title, kind, status, locations, rawInput, content } = update;
  const output = outputOf(update);
  return {
    title,
    kind,
    status,
    locations,
    command: requestedCommand(rawInput)?.text,
    changes: objectsOf(content).flatMap(changeOf),
    output: output === "" ? undefined : output.slice(-outputEnd).toWellFormed(),
    exitCode: exitCodeOf(update, output),
  };
}

function callOf(call: Members, ref: string): PastCall {
  const changes = (call["changes"] ?? []) as readonly ChangedFile[];
  const kind = textOr(call["kind"], "");
  const changed = new Set(changes.map(({ path }) => path));
  const named = objectsOf(call["locations"]).flatMap(({ path }) =>
    typeof path === "string" && !changed.has(path) ? [path] : [],
  );
  const paths = [...new Set(named)];
  const isChange = kind === "edit" || kind === "delete" || kind === "move";
  const status = textOr(call["status"], "");
  // Agents that report no diffs still name the files that they write.
  const untold: readonly ChangedFile[] =
    isChange && changes.length === 0 && status !== "failed"
      ? paths.map((path) => ({ path, kind: kind === "delete" ? "deleted" : "changed", added: 0, removed: 0 }))
      : [];
  const command = call["command"] ?? (kind === "execute" ? call["title"] : undefined);
  return {
    ref,
    title: textOr(call["title"], "a tool call").replace(/\s+/g, " "),
    kind,
    status,
    ...(typeof command === "string" && { command }),
    ...(typeof call["exitCode"] === "number" && { exitCode: call["exitCode"] }),
    changes: status === "failed" ? [] : [...changes, ...untold],
    paths: untold.length > 0 ? [] : paths,
    output: textOr(call["output"], ""),
  };
}

/** Returns the text of a call's output; "" if an update has none. */
export function outputOf({ content, rawOutput, _meta: meta }: Members): string {
  const shown = textOfBlocks(objectsOf(content).flatMap((one) => one["content"] ?? []));
  if (shown.trim() !== "") return plain(shown);
  const terminal = asObject(asObject(meta)?.["terminal_output"])?.["data"];
  if (typeof terminal === "string") return plain(terminal);
  if (typeof rawOutput === "string") return plain(rawOutput);
  const { formatted_output: formatted, output, stdout, stderr, error, message } = asObject(rawOutput) ?? {};
  const texts = [formatted, output, stdout, stderr, error, message].filter((text) => typeof text === "string");
  return plain(texts.filter((text) => text !== "").join("\n"));
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences of terminals
  return text.replace(/\u001b\[[\d;?]*[A-Za-z]/g, "").replace(/^[ \t]*```[\w-]*[ \t]*$/gm, "");
}

function exitCodeOf({ rawOutput, _meta: meta }: Members, output: string): number | undefined {
  const { exitCode, exit_code: snake, metadata } = asObject(rawOutput) ?? {};
  const exit = asObject(asObject(meta)?.["terminal_exit"])?.["exit_code"];
  const codes = [exitCode, snake, asObject(metadata)?.["exit"], exit];
  const found = codes.find((code): code is number => typeof code === "number");
  if (found !== undefined) return found;
  const said = /\bexit(?:ed with)? code:? (\d{1,3})\b/i.exec(output.slice(0, 200))?.[1];
  return said === undefined ? undefined : Number(said);
}

function changeOf({ type, path, oldText, newText }: Members): readonly ChangedFile[] {
  if (type !== "diff" || typeof path !== "string") return [];
  const before = stringOf(oldText);
  const after = textOf(newText);
  const kind = before === undefined ? "created" : after === "" && before !== "" ? "deleted" : "changed";
  return [{ path, kind, ...lineCounts(before ?? "", after) }];
}

/** Counts the added and removed lines between the beginning and the end that both texts have in common. */
function lineCounts(before: string, after: string): { readonly added: number; readonly removed: number } {
  const [old, now] = [linesOf(before), linesOf(after)];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  return { added: now.length - start - end, removed: old.length - start - end };
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" && value !== "" ? value : other;
}
