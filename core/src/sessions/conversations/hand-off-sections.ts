import { type AuthorMarks, clipped, code, line } from "./hand-off-text.js";
import type { PastCall } from "./past-calls.js";
import type { PastConversation, PastTurn, PlanEntry } from "./past-turns.js";
import { utf8Length } from "../../base/text-bounds.js";
import { isHiddenPath } from "./stored-record.js";

export interface FileNow {
  /** Hexadecimal; undefined if the file is missing or too large to read. */
  readonly sha256?: string | undefined;
  readonly exists: boolean;
}

/** Maximum characters of one user message. */
const longestMessage = 2_000;
const longestDecision = 400;
const longestCommand = 240;
const longestLine = 200;
/** Maximum number of files whose contents are hashed. */
const mostFiles = 100;

/** Formats the entries of a plan as lines, open entries first. */
export function planLines(plan: readonly PlanEntry[]): readonly string[] {
  const open = plan.filter(({ status }) => status !== "completed");
  const done = plan.length - open.length;
  const lines = open.map(({ content, status }) => `- [${status}] ${line(content, 300)}`);
  return done > 0 ? [...lines, `- (${done} completed)`] : lines;
}

interface FileState {
  kind: string;
  added: number;
  removed: number;
  turn: number;
  sha256: string | undefined;
}

/** Returns at most 100 absolute paths of a conversation's files: changed ones first, newest first. */
export function filesOf(past: FilesOf): readonly string[] {
  return fileStates(past)
    .map(([path]) => path)
    .slice(0, mostFiles);
}

/** Describes how the conversation changed each file, and whether the file has changed since. The order is that of {@link filesOf}. */
export function fileLines(past: FilesOf, now: ReadonlyMap<string, FileNow>): readonly string[] {
  const cwd = past.header?.cwd ?? "";
  return fileStates(past).map(([path, state]) => {
    const since = isHiddenPath(path)
      ? ", part of its path was hidden: find it by its name"
      : sinceText(state, now.get(path));
    return `- ${code(shown(path, cwd), 260)} ${stateText(state)}${since}`;
  });
}

type FilesOf = Pick<PastConversation, "turns" | "header">;

function fileStates(past: FilesOf): readonly (readonly [path: string, state: FileState])[] {
  const cwd = past.header?.cwd ?? "";
  const files = new Map<string, FileState>();
  for (const turn of past.turns) {
    for (const call of turn.calls) noteFiles(files, call, turn.number, cwd);
    for (const { path, sha256 } of turn.files) {
      const known = files.get(absolute(path, cwd));
      if (known) known.sha256 = sha256;
    }
  }
  return [...files].sort(([, a], [, b]) => Number(isRead(a)) - Number(isRead(b)) || b.turn - a.turn);
}

function isRead({ kind }: FileState): boolean {
  return kind === "read";
}

function noteFiles(files: Map<string, FileState>, call: PastCall, turn: number, cwd: string): void {
  for (const { path, kind, added, removed } of call.changes) {
    const place = absolute(path, cwd);
    const known = files.get(place);
    const isSame = known !== undefined && !isRead(known);
    files.set(place, {
      kind: isSame && kind === "changed" ? known.kind : kind,
      added: (isSame ? known.added : 0) + added,
      removed: (isSame ? known.removed : 0) + removed,
      turn,
      sha256: known?.sha256,
    });
  }
  for (const path of call.paths) {
    const place = absolute(path, cwd);
    const known = files.get(place);
    if (known) known.turn = turn;
    else files.set(place, { kind: "read", added: 0, removed: 0, turn, sha256: undefined });
  }
}

function stateText({ kind, added, removed, turn }: FileState): string {
  const counts = added + removed > 0 ? ` +${added} -${removed}` : "";
  return `${kind}${counts}, turn ${turn}`;
}

function sinceText({ sha256, kind }: FileState, now: FileNow | undefined): string {
  if (!now) return sha256 === undefined ? "" : `, sha256 ${short(sha256)}`;
  if (!now.exists) return kind === "deleted" ? "" : ", gone now";
  if (now.sha256 === undefined) return "";
  const isOther = sha256 !== undefined && sha256 !== now.sha256;
  return `, sha256 now ${short(now.sha256)}${isOther ? ", changed since" : ""}`;
}

function short(sha256: string): string {
  return sha256.slice(0, 12);
}

function absolute(path: string, cwd: string): string {
  if (/^([\\/]|[A-Za-z]:)/.test(path) || isHiddenPath(path) || cwd === "") return path;
  return `${cwd.replace(/[\\/]$/, "")}/${path.replace(/^\.\//, "")}`;
}

function shown(path: string, cwd: string): string {
  const folder = cwd.replace(/[\\/]$/, "");
  return folder !== "" && /^[\\/]/.test(path.slice(folder.length)) && path.startsWith(folder)
    ? path.slice(folder.length + 1)
    : path;
}

/** Lists failed and rejected commands first, so that the agent doesn't repeat them. */
export function commandLines(turns: readonly PastTurn[]): readonly string[] {
  const runs = new Map<string, { readonly call: PastCall; readonly place: number }>();
  let place = 0;
  for (const call of turns.flatMap(({ calls }) => calls)) {
    if (call.command === undefined) continue;
    runs.set(call.command.trim(), { call, place: place++ });
  }
  const rejected = new Map(
    turns.flatMap(({ number, permissions }) =>
      permissions.filter(({ isRejected }) => isRejected).map(({ asked }) => [asked.trim(), number] as const),
    ),
  );
  const refusals = [...rejected]
    .reverse()
    .map(([asked, number]) => `- rejected by the user: ${code(asked, longestCommand)} (turn ${number})`);
  const ran = [...runs]
    .filter(([command]) => !rejected.has(command))
    .sort(([, a], [, b]) => Number(hasFailed(b.call)) - Number(hasFailed(a.call)) || b.place - a.place)
    .map(
      ([command, { call }]) =>
        `- ${outcomeOf(call)}: ${code(command, longestCommand)}${lastLineOf(call)} [${call.ref}]`,
    );
  return [...refusals, ...ran];
}

function hasFailed({ status, exitCode }: PastCall): boolean {
  return status === "failed" || (exitCode !== undefined && exitCode !== 0);
}

function outcomeOf(call: PastCall): string {
  if (call.exitCode !== undefined && call.exitCode !== 0) return `exit ${call.exitCode}`;
  if (call.status === "failed") return "failed";
  return call.status === "completed" ? "ok" : call.status === "" ? "ran" : call.status;
}

function lastLineOf(call: PastCall): string {
  const last = hasFailed(call) ? errorLine(call.output) : (call.output.trim().split("\n").at(-1)?.trim() ?? "");
  return last === "" ? "" : ` → ${line(last, longestLine)}`;
}

const erroneous = /error|fail|exception|panic|fatal|denied|not found|cannot|unable|refused|abort/i;

/** Returns the last line of an output that looks like an error, else the last line. */
function errorLine(output: string): string {
  const lines = output
    .split("\n")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  return lines.findLast((one) => erroneous.test(one)) ?? lines.at(-1) ?? "";
}

/** Lists the last paragraph of each turn's final agent text, newest turn first. */
export function decisionLines(turns: readonly PastTurn[]): readonly string[] {
  return [...turns].reverse().flatMap(({ number, said }) => {
    const last =
      said
        .at(-1)
        ?.split(/\n\s*\n/)
        .at(-1)
        ?.trim() ?? "";
    return last === "" ? [] : [`- turn ${number}: ${line(last, longestDecision)}`];
  });
}

/** Lists failures other than commands, newest first. */
export function errorLines(turns: readonly PastTurn[]): readonly string[] {
  return [...turns].reverse().flatMap(({ number, calls, failure }) => [
    ...(failure === undefined ? [] : [`- turn ${number} ended: ${line(failure, longestLine)}`]),
    ...calls
      .filter((call) => call.command === undefined && hasFailed(call))
      .reverse()
      .map((call) => `- ${line(call.title, 120)}: ${line(errorLine(call.output), longestLine)} [${call.ref}]`),
  ]);
}

/** Returns the newest user messages that fit into `most` bytes, oldest first. */
export function userMessages(turns: readonly PastTurn[], marks: AuthorMarks, most: number): readonly string[] {
  const kept: string[] = [];
  let left = most - 300;
  for (const { number, user } of [...turns].reverse()) {
    const text = `- turn ${number}:\n${marks.user(clipped(user, longestMessage))}`;
    left -= utf8Length(text) + 1;
    if (left < 0) break;
    kept.unshift(text);
  }
  return kept;
}

/** Returns messages that the agent attributed to the user, in at most `most` bytes: the first message, and as many of the newest as fit. */
export function repeatedMessages(turns: readonly PastTurn[], marks: AuthorMarks, most: number): string {
  const [first, ...later] = turns.flatMap(({ repeated }) => repeated ?? []);
  if (first === undefined) return "";
  const texts = [clipped(first, Math.floor(most / 2))];
  let left = most / 2 - 60;
  for (const text of later.reverse()) {
    left -= utf8Length(text) + 2;
    if (left < 0) break;
    texts.splice(1, 0, text);
  }
  return marks.agent(texts.join("\n\n"));
}

/** Returns the newest turns without tool outputs, oldest first. Shortens the last one if needed. */
export function lastTurnTexts(turns: readonly PastTurn[], marks: AuthorMarks, most: number): string {
  const texts: string[] = [];
  let left = most;
  for (const turn of [...turns].reverse()) {
    const text = turnText(turn, marks, texts.length === 0 ? left - 2 : Infinity);
    left -= utf8Length(text) + 2;
    if (left < 0) break;
    texts.unshift(text);
  }
  return texts.join("\n\n");
}

/** Formats a turn. Shortens each part separately, so that the marks that name the author remain intact. */
function turnText(
  { number, user, repeated, said, calls, failure }: PastTurn,
  marks: AuthorMarks,
  most: number,
): string {
  const shownCalls = calls.slice(-12);
  const hidden = calls.length - shownCalls.length;
  const before = [
    `### Turn ${number}`,
    ...(user === "" ? [] : [`User:\n${marks.user(clipped(user, Math.min(longestMessage, most / 3)))}`]),
    ...(hidden > 0 ? [`- … ${hidden} earlier calls`] : []),
    ...(shownCalls.length > 0 ? [clipped(shownCalls.map(callLine).join("\n"), most / 3)] : []),
  ];
  const after = failure === undefined ? [] : [`(ended: ${line(failure, longestLine)})`];
  const words = [...(repeated === undefined ? [] : [`(as the user's words) ${repeated}`]), ...said].join("\n\n");
  const room = most - utf8Length([...before, ...after].join("\n\n")) - 60;
  const spoken = words === "" || room < 60 ? [] : [`Agent:\n${marks.agent(clipped(words, room))}`];
  return [...before, ...spoken, ...after].join("\n\n");
}

export function callLine(call: PastCall): string {
  const counts = call.changes.map(({ path, added, removed }) => ` ${line(path, 120)} +${added} -${removed}`).join(",");
  return `- ${line(call.title, 160)}${call.kind === "" ? "" : ` (${call.kind})`}${counts}: ${outcomeOf(call)} [${call.ref}]`;
}
