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
const textStart = /"text"\s*:\s*"/;

export class SessionLines {
  #summary: SessionSummary;
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
    switch (entry.kind) {
      case "update":
        return this.#update(entry);
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

  #update({ at, params, byUser }: Extract<SessionEntry, { readonly kind: "update" }>): string {
    const line = `{"at":${at},"update":${oneLine(params)}${byUser ? ',"byUser":true' : ""}}\n`;
    switch (updateKindIn(params)) {
      case "agent_message_chunk":
        this.#said += chunkText(params);
        this.#saidAt = at;
        return this.#said.length < saidLength ? line : `${line}${this.#saidLine()}`;
      case "tool_call":
      case "tool_call_update":
        this.#touch(params);
        return `${this.#saidLine()}${line}`;
      case "user_message_chunk":
        if (this.#summary.title === "") this.#entitle(textIn(params));
        return line;
      case "session_info_update":
        this.#entitle(titleIn(params));
        return line;
      default:
        return line;
    }
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

/** Returns the JSON text of a chunk without quotation marks; "" if none. */
function chunkText(params: string): string {
  const found = textStart.exec(params);
  if (!found) return "";
  const start = found.index + found[0].length;
  for (let end = params.indexOf('"', start); end !== -1; end = params.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (params[end - backslashes - 1] === "\\") backslashes++;
    if (backslashes % 2 === 0) return params.slice(start, end);
  }
  return "";
}

function textIn(params: string): string {
  const text = parsedValue(`"${chunkText(params)}"`);
  return textOf(text);
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
