import { objectsOf } from "../conductor/client/unchecked.js";
import { isToolCallUpdate } from "../base/acp/tool-call.js";
import { memberOf } from "../base/rpc/json-edit.js";
import { asObject, type Json, stringOf } from "../base/rpc/json.js";
import type { FileInstruction } from "./contribution.js";
import type { PromptRequestEdit } from "./prompt-request-edit.js";

/** The instructions of a session that concern files which nobody has named or touched so far. */
export class WaitingFileInstructions {
  #waiting: readonly FileInstruction[];
  #due: readonly FileInstruction[] = [];

  /** `cwd` is where relative paths start. */
  constructor(
    instructions: readonly FileInstruction[],
    private readonly cwd: string,
  ) {
    this.#waiting = instructions;
  }

  /** Whether none waits for a file any more. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Looks at a session update of the agent: what its tool calls touch. */
  observe(params: Json): void {
    if (this.isEmpty || !params.text.includes('"tool_call')) return;
    const update = memberOf(params, "update")?.object;
    if (!update || !isToolCallUpdate(update)) return;
    const { locations, content, rawInput } = update;
    const input = asObject(rawInput);
    const named = ["path", "file_path", "filePath", "absolute_path"].map((key) => input?.[key]);
    this.#touch([...objectsOf(locations), ...objectsOf(content)].map(({ path }) => path).concat(named));
  }

  /** Looks at a prompt; takes what is due with it. */
  take(prompt: PromptRequestEdit): readonly FileInstruction[] {
    if (!this.isEmpty) this.#touch(pathsIn(prompt));
    const due = this.#due;
    this.#due = [];
    return due;
  }

  /** They did not reach the agent. */
  giveBack(instructions: readonly FileInstruction[]): void {
    this.#due = [...instructions, ...this.#due];
  }

  #touch(paths: readonly unknown[]): void {
    const absolute = paths.flatMap((path) =>
      typeof path === "string" && path !== "" ? absolutePath(path, this.cwd) : [],
    );
    if (absolute.length === 0) return;
    const isDue = (one: FileInstruction): boolean => absolute.some((path) => one.concerns(path));
    this.#due = [...this.#due, ...this.#waiting.filter(isDue)];
    this.#waiting = this.#waiting.filter((one) => !isDue(one));
  }
}

/** The files that a prompt names: links, embedded resources, and words that look like paths. */
function pathsIn(prompt: PromptRequestEdit): readonly string[] {
  const addresses = prompt.blocks.flatMap((block) => {
    const { uri, resource, type } = block.object ?? {};
    if (type !== "resource_link" && type !== "resource") return [];
    return pathOfUri(stringOf(uri) ?? stringOf(asObject(resource)?.["uri"]) ?? "") ?? [];
  });
  const words = prompt.texts.flatMap((text) => wordsLikePaths(text.slice(0, longestText)));
  return [...addresses, ...words.map((word) => word.replace(/^@/, ""))];
}

/** Split first: one pattern for all of it takes hours for a long word without a dot, such as a pasted key or image. */
function wordsLikePaths(text: string): readonly string[] {
  return text.split(/[^\w@.~+\\/-]+/).flatMap((word) => /^.*\.\w+/.exec(word)?.[0] ?? []);
}

/** Prompts may have whole files in them. */
const longestText = 64 * 1024;

function pathOfUri(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/[^?#]*)/.exec(uri) ?? [];
  if (path === undefined) return undefined;
  try {
    return decodeURIComponent(path).replace(/^\/(?=[A-Za-z]:\/)/, "");
  } catch {
    return undefined;
  }
}

/** With `/` between the names. */
function absolutePath(path: string, cwd: string): string {
  const slashed = path.replaceAll("\\", "/");
  if (slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed)) return slashed;
  return `${cwd.replaceAll("\\", "/").replace(/\/$/, "")}/${slashed.replace(/^\.\//, "")}`;
}
