import { updateKindIn } from "../../base/acp/session-message.js";
import { oneLine } from "../../base/line-splitter.js";
import { asObject, parsedObject, parsedValue, textOf, objectsOf } from "../../base/rpc/json.js";
import {
  type SessionHeader,
  type SessionSummary,
  isHandOff,
  type StoredContinued,
  textOfBlocks,
  type TouchedFile,
} from "./stored-record.js";

/** Event of a session, waiting to be written. */
export type SessionEntry =
  | { readonly kind: "update"; readonly at: number; readonly params: string; readonly byUser?: true | undefined }
  | { readonly kind: "child"; readonly at: number; readonly params: string }
  | { readonly kind: "prompt"; readonly at: number; readonly blocks: string }
  | { readonly kind: "permission"; readonly at: number; readonly params: string; readonly answer: string }
  | { readonly kind: "end"; readonly at: number; readonly answer: string; readonly agent: string }
  | { readonly kind: "files"; readonly at: number; readonly turn: number; readonly files: readonly TouchedFile[] }
  | { readonly kind: "continues"; readonly at: number; readonly continued: StoredContinued; readonly title: string }
  | { readonly kind: "gap"; readonly at: number };

const longestTitle = 120;
/** Number of characters in a message after which a line with the joined text is written. */
const saidLength = 16 * 1024;
/** Maximum number of touched files per turn. */
const mostTouched = 200;
/** Maximum length of parameters whose start is compared with the next update. */
const longestCompared = 64 * 1024;
const textStart = /"text"\s*:\s*"/;

/** Start of an update's parameters: all that precedes its words. Updates of one message have the same start. */
interface UpdateStart {
  readonly text: string;
  /** Kind of the update; undefined if it follows the words. */
  readonly kind: string | undefined;
  /** Offset of the member with the words. */
  readonly member: number;
}

/** Lines to write at once. */
export class LineBatch {
  #lines = "";
  #searched: string | undefined;
  #start: UpdateStart | undefined;

  get lines(): string {
    return this.#lines;
  }

  /** Text in which to search for secrets: the lines, except starts of updates that are also the start of an earlier update. */
  get searched(): string {
    return this.#searched ?? this.#lines;
  }

  add(lines: string): void {
    if (this.#searched !== undefined) this.#searched += lines;
    this.#lines += lines;
  }

  addUpdate(line: string, params: string, start: UpdateStart | undefined): void {
    // A second text costs more than the search of a short start.
    const isShorter = start !== undefined && start === this.#start && start.member > params.length / 2;
    if (isShorter) this.#searched = `${this.searched}${params.slice(start.member)}\n`;
    else if (this.#searched !== undefined) this.#searched += line;
    this.#lines += line;
    this.#start = start;
  }
}

export class SessionLines {
  #summary: SessionSummary;
  #start: UpdateStart | undefined;
  /** The message so far as JSON text, without quotation marks. */
  #said = "";
  #saidAt = 0;
  readonly #touched = new Set<string>();

  constructor(before: Partial<SessionSummary> = {}) {
    this.#summary = { title: "", agent: "", turns: 0, tokens: 0, ...before };
  }

  get summary(): SessionSummary {
    return this.#summary;
  }

  /** Files named in this turn's tool calls, as the agent wrote them. */
  get touched(): readonly string[] {
    return [...this.#touched];
  }

  header(header: SessionHeader): string {
    return `${JSON.stringify(header)}\n`;
  }

  of(entry: SessionEntry): string {
    const batch = new LineBatch();
    this.addTo(batch, entry);
    return batch.lines;
  }

  addTo(batch: LineBatch, entry: SessionEntry): void {
    if (entry.kind === "update") this.#update(batch, entry);
    else batch.add(this.#linesOf(entry));
  }

  #linesOf(entry: Exclude<SessionEntry, { readonly kind: "update" }>): string {
    switch (entry.kind) {
      case "child":
        this.#touch(entry.params);
        return `{"at":${entry.at},"child":${oneLine(entry.params)}}\n`;
      case "prompt":
        return this.#prompt(entry.at, entry.blocks);
      case "permission":
        return `{"at":${entry.at},"permission":${oneLine(entry.params)},"answer":${oneLine(entry.answer)}}\n`;
      case "end":
        return this.#end(entry.at, entry.answer, entry.agent);
      case "files":
        return `{"at":${entry.at},"turn":${entry.turn},"files":${JSON.stringify(entry.files)}}\n`;
      case "continues":
        this.#summary = { ...this.#summary, turns: entry.continued.turn, title: entry.title };
        return `{"at":${entry.at},"continues":${JSON.stringify(entry.continued)}}\n`;
      case "gap":
        return `{"at":${entry.at},"gap":true}\n`;
    }
  }

  #update(batch: LineBatch, entry: Extract<SessionEntry, { readonly kind: "update" }>): void {
    const { at, byUser } = entry;
    const params = oneLine(entry.params);
    const start = this.#startOf(params);
    const line = `{"at":${at},"update":${params}${byUser ? ',"byUser":true' : ""}}\n`;
    const kind = start?.kind ?? updateKindIn(params);
    if (kind === "tool_call" || kind === "tool_call_update") {
      this.#touch(params);
      if (this.#said !== "") batch.add(this.#saidLine());
    }
    batch.addUpdate(line, params, start);
    if (kind === "agent_message_chunk") {
      this.#said += wordsAfter(params, start);
      this.#saidAt = at;
      if (this.#said.length >= saidLength) batch.add(this.#saidLine());
    } else if (kind === "user_message_chunk") {
      if (this.#summary.title === "") this.#entitle(textOf(parsedValue(`"${wordsAfter(params, start)}"`)));
    } else if (kind === "session_info_update") this.#entitle(titleIn(params));
  }

  /** Returns the start of an update; undefined if the update has no words. */
  #startOf(params: string): UpdateStart | undefined {
    const last = this.#start;
    if (last && params.slice(0, last.text.length) === last.text) return last;
    const found = textStart.exec(params);
    if (!found) return undefined;
    const text = params.slice(0, found.index + found[0].length);
    const start = { text, kind: updateKindIn(text), member: found.index };
    this.#start = params.length <= longestCompared ? start : undefined;
    return start;
  }

  #prompt(at: number, blocks: string): string {
    const { turns, title } = this.#summary;
    const turn = turns + 1;
    this.#summary = { ...this.#summary, turns: turn, title: title === "" ? titleOf(blocks) : title };
    return `${this.#saidLine()}{"at":${at},"turn":${turn},"prompt":${oneLine(blocks)}}\n`;
  }

  #end(at: number, answer: string, agent: string): string {
    this.#touched.clear();
    this.#summary = { ...this.#summary, agent, tokens: this.#summary.tokens + tokensOf(answer) };
    const { turns } = this.#summary;
    const summary = JSON.stringify(this.#summary);
    return `${this.#saidLine()}{"at":${at},"turn":${turns},"end":${oneLine(answer)},"summary":${summary}}\n`;
  }

  #saidLine(): string {
    const said = this.#said;
    this.#said = "";
    return said === "" ? "" : `{"at":${this.#saidAt},"said":"${said}"}\n`;
  }

  #touch(params: string): void {
    if (!params.includes('"locations"') && !params.includes('"diff"')) return;
    const { locations, content } = asObject(parsedObject(params)?.["update"]) ?? {};
    const diffs = objectsOf(content).filter(({ type }) => type === "diff");
    for (const { path } of [...objectsOf(locations), ...diffs]) {
      if (typeof path === "string" && this.#touched.size < mostTouched) this.#touched.add(path);
    }
  }

  #entitle(title: string): void {
    if (title.trim() !== "") this.#summary = { ...this.#summary, title: shortTitle(title) };
  }
}

/** Returns the JSON text of an update's words without quotation marks; "" if none. */
function wordsAfter(params: string, start: UpdateStart | undefined): string {
  if (!start) return "";
  const from = start.text.length;
  for (let end = params.indexOf('"', from); end !== -1; end = params.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (params[end - backslashes - 1] === "\\") backslashes++;
    if (backslashes % 2 === 0) return params.slice(from, end);
  }
  return "";
}

function titleIn(params: string): string {
  const title = asObject(parsedObject(params)?.["update"])?.["title"];
  return textOf(title);
}

/** Returns the default title of a session: the start of its first prompt. */
function titleOf(blocks: string): string {
  return shortTitle(textOfBlocks(objectsOf(parsedValue(blocks)).filter((block) => !isHandOff(block))));
}

function shortTitle(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1).toWellFormed()}…` : line;
}

function tokensOf(answer: string): number {
  const result = parsedObject(answer);
  const total = asObject(result?.["usage"])?.["totalTokens"];
  if (typeof total === "number") return total;
  const counts = asObject(asObject(asObject(result?.["_meta"])?.["quota"])?.["token_count"]);
  if (typeof counts?.["totalTokens"] === "number") return counts["totalTokens"];
  const numbers = Object.values(counts ?? {}).filter((count) => typeof count === "number");
  return numbers.reduce((sum, count) => sum + count, 0);
}
