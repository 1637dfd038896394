import { attempt } from "../../../base/attempt.js";
import type { ContentBlock, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { resolve } from "node:path";
import { updatedToolCall } from "../../../base/acp/tool-call.js";
import { shellWord } from "../../../base/shell-word.js";
import { readUntrustedFile } from "../../../base/node/read-untrusted-file.js";
import { textOf, numberOf, stringOf } from "../../../base/rpc/json.js";
import { objectsOf, type Unchecked } from "../../../conductor/client/unchecked.js";
import { type RequestedCommand, requestedCommand } from "../../../base/safety/requested-command.js";
import { lineDiff } from "./line-diff.js";
import { safeLine, safeText } from "./safe-text.js";
import type { Style } from "../style.js";

/** Maximum size of a file whose text is compared with the text that replaces it. */
const maxReplacedBytes = 1024 * 1024;

/** Place of the session whose tool calls are shown. */
export interface SessionPlace {
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  /** Whether the folder is on another machine, whose files can't be read. */
  readonly isRemote: boolean;
}

/** Tool call assembled from its updates. Members that an update lacks keep their values. */
export class ToolCall {
  #members: Unchecked<ToolCallUpdate> = {};
  readonly #shown = new Set<string>();
  /** Texts of existing files, read before the call ends, because Claude Code reports files that it replaces as new. */
  readonly #replaced = new Map<string, string>();
  #lastLine: string | undefined;

  constructor(private readonly place: SessionPlace) {}

  merge(update: Unchecked<ToolCallUpdate>): void {
    this.#members = updatedToolCall(this.#members, update);
    if (this.#isEnded || this.place.isRemote) return;
    for (const { type, path, oldText } of objectsOf(this.#members.content)) {
      if (type !== "diff" || stringOf(oldText) !== undefined || this.#replaced.has(textOf(path))) continue;
      const text = textOfFile(resolve(this.place.cwd, textOf(path)));
      if (text !== undefined) this.#replaced.set(textOf(path), text);
    }
  }

  get #isEnded(): boolean {
    const status = stringOf(this.#members.status);
    return status === "completed" || status === "failed";
  }

  get title(): string {
    const title = stringOf(this.#members.title) ?? stringOf(this.#members.name) ?? "tool call";
    // Without a repository, OpenCode reports paths relative to the root folder.
    const path = objectsOf(this.#members.locations).find(({ path }) => path === title || path === `/${title}`)?.path;
    return path === undefined ? safeLine(title) : shortPath(this.place.cwd, textOf(path));
  }

  get kind(): string {
    return safeLine(stringOf(this.#members.kind) ?? "other");
  }

  /**
   * Returns the line `- [kind] title ... status` if it changed. After the call's end, also returns diffs and results that weren't shown
   * before.
   */
  news(style: Style): readonly string[] {
    const given = safeLine(stringOf(this.#members.status) ?? "pending");
    const status = given === "in_progress" ? "running" : given;
    const line = `- [${this.kind}] ${this.title} ... ${status}`;
    const head =
      line === this.#lastLine ? [] : [`- [${style.cyan(this.kind)}] ${this.title} ... ${painted(status, style)}`];
    this.#lastLine = line;
    // Before the call's end, the permission question shows the diffs.
    const blocks = this.#isEnded ? objectsOf(this.#members.content) : [];
    return [...head, ...blocks.flatMap((block) => this.#shownOnce(block, style))];
  }

  /** Returns details for the user's decision: command, paths and diffs, otherwise the raw input. */
  details(style: Style): readonly string[] {
    const blocks = objectsOf(this.#members.content);
    for (const block of blocks) this.#shown.add(this.#keyOf(block));
    const command = requestedCommand(this.#members.rawInput);
    const named = new Set([
      this.title,
      ...blocks.map(({ type, path }) => type === "diff" && shortPath(this.place.cwd, textOf(path))),
    ]);
    const paths = this.#paths.filter((path) => !named.has(path));
    const lines = [
      ...(command === undefined ? [] : this.#commandLines(command)),
      ...paths.map((path) => `  ${path}`),
      ...blocks.flatMap((block) => this.#blockLines(block, style, 200)),
    ];
    const rawInput = this.#members.rawInput;
    if (command !== undefined || blocks.some(({ type }) => type === "diff") || rawInput === undefined) return lines;
    return [...lines, ...limited(indented(JSON.stringify(rawInput, undefined, 2)), 60)];
  }

  /** Returns the command line, its folder if it differs from the session's, and everything that changes how the command runs. */
  #commandLines({ text, cwd, variables, special }: RequestedCommand): readonly string[] {
    const sets = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
    const isElsewhere = cwd !== undefined && resolve(this.place.cwd, cwd) !== this.place.cwd;
    return [
      ...indented(text, "  $ "),
      ...(isElsewhere ? indented(cwd, "  in ") : []),
      ...sets.flatMap((set) => indented(set, "  with ")),
      ...Object.entries(special).flatMap(([name, value]) => indented(`${name}: ${JSON.stringify(value)}`, "  with ")),
    ];
  }

  get #paths(): readonly string[] {
    return objectsOf(this.#members.locations).flatMap((location) => {
      const path = stringOf(location.path);
      const line = numberOf(location.line);
      return path === undefined ? [] : [`${shortPath(this.place.cwd, path)}${line === undefined ? "" : `:${line}`}`];
    });
  }

  #shownOnce(block: Unchecked<ToolCallContent>, style: Style): readonly string[] {
    const key = this.#keyOf(block);
    if (this.#shown.has(key)) return [];
    this.#shown.add(key);
    return this.#blockLines(block, style, 20);
  }

  #blockLines(block: Unchecked<ToolCallContent>, style: Style, maxLines: number): readonly string[] {
    const type = stringOf(block.type);
    if (type === "diff") return this.#diffLines(block, style, maxLines);
    if (type === "terminal") return [style.dim(`  terminal ${safeLine(textOf(block.terminalId))}`)];
    const content = block.content ?? block;
    return limited(indented(contentText(content)), maxLines).map((line) => style.dim(line));
  }

  /**
   * Returns a key that is equal for equal content. Ignores members such as `_meta`, which agents add when a call ends, and unchanged lines,
   * since Claude Code then sends only hunks.
   */
  #keyOf(block: Unchecked<ToolCallContent>): string {
    const { type, path, oldText: _old, newText: _new, ...others } = block;
    if (type !== "diff") return JSON.stringify(others);
    const changed = this.#changes(block).filter(({ mark }) => mark === "+" || mark === "-");
    return JSON.stringify([path, changed]);
  }

  #changes({ path, oldText, newText }: Unchecked<ToolCallContent>): ReturnType<typeof lineDiff> {
    return lineDiff(stringOf(oldText) ?? this.#replaced.get(textOf(path)), textOf(newText));
  }

  #diffLines(block: Unchecked<ToolCallContent>, style: Style, maxLines: number): readonly string[] {
    const path = shortPath(this.place.cwd, textOf(block.path));
    // Files on another machine may exist, even if the agent reports them as new.
    const mayExist = this.place.isRemote || this.#replaced.has(textOf(block.path));
    const isNew = stringOf(block.oldText) === undefined && !mayExist;
    const lines = this.#changes(block).map(({ mark, text }) => {
      const line = `  ${mark}${safeText(text).replaceAll("\n", " ")}`;
      if (mark === "+") return style.green(line);
      return mark === "-" ? style.red(line) : style.dim(mark === "@" ? "  @@" : line);
    });
    return [style.bold(`  ${path}${isNew ? " (new)" : ""}`), ...limited(lines, maxLines)];
  }
}

function textOfFile(path: string): string | undefined {
  return attempt(() => readUntrustedFile(path, { maxBytes: maxReplacedBytes }));
}

/** Shortens a path inside `cwd` to its relative part; returns other paths unmodified. */
export function shortPath(cwd: string, path: string): string {
  const isInside = path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`);
  return safeLine(isInside ? path.slice(cwd.length + 1) : path);
}

function painted(status: string, style: Style): string {
  if (status === "completed") return style.green(status);
  return status === "failed" ? style.red(status) : style.dim(status);
}

function indented(text: string, first = "  "): readonly string[] {
  const lines = safeText(text).replace(/\n+$/, "").split("\n");
  return lines.map((line, index) => `${index === 0 ? first : " ".repeat(first.length)}${line}`);
}

function limited(lines: readonly string[], max: number): readonly string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max), `  ... ${lines.length - max} more lines`];
}

export function contentText(block: Unchecked<ContentBlock> | null | undefined): string {
  const type = stringOf(block?.type) ?? "content";
  const text = stringOf(block?.text);
  if (type === "text" && text !== undefined) return text;
  if (type === "resource") {
    const resource = block?.resource;
    return stringOf(resource?.text) ?? `[resource ${textOf(resource?.uri)}]`;
  }
  if (type === "resource_link") {
    const uri = textOf(block?.uri);
    return `[${stringOf(block?.title) ?? stringOf(block?.name) ?? "link"}](${uri})`;
  }
  return `[${[type, stringOf(block?.mimeType)].filter((part) => part !== undefined).join(" ")}]`;
}
