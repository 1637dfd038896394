import { attempt } from "../base/attempt.js";
import { objectsOf } from "../conductor/client/unchecked.js";
import { isToolCallUpdate } from "../base/acp/tool-call.js";
import { memberOf } from "../base/rpc/json-edit.js";
import { asObject, type Json, stringOf } from "../base/rpc/json.js";
import type { FileInstruction } from "./contribution.js";
import type { PromptRequestEdit } from "./prompt-request-edit.js";

/** Instructions for files that no prompt or tool call of the session has mentioned yet. */
export class WaitingFileInstructions {
  #waiting: readonly FileInstruction[];
  #due: readonly FileInstruction[] = [];

  /** `cwd` is the base of relative paths. */
  constructor(
    instructions: readonly FileInstruction[],
    private readonly cwd: string,
  ) {
    this.#waiting = instructions;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  observe(params: Json): void {
    if (this.isEmpty || !params.text.includes('"tool_call')) return;
    const update = memberOf(params, "update")?.object;
    if (!update || !isToolCallUpdate(update)) return;
    const { locations, content, rawInput } = update;
    const input = asObject(rawInput);
    const named = ["path", "file_path", "filePath", "absolute_path"].map((key) => input?.[key]);
    this.#touch([...objectsOf(locations), ...objectsOf(content)].map(({ path }) => path).concat(named));
  }

  /** Finds the files that a prompt names and returns all due instructions. */
  take(prompt: PromptRequestEdit): readonly FileInstruction[] {
    if (!this.isEmpty) this.#touch(pathsIn(prompt));
    const due = this.#due;
    this.#due = [];
    return due;
  }

  /** Makes instructions due again, because they didn't reach the agent. */
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

/** Returns the files that a prompt names: links, embedded resources and words that look like paths. */
function pathsIn(prompt: PromptRequestEdit): readonly string[] {
  const addresses = prompt.blocks.flatMap((block) => {
    const { uri, resource, type } = block.object ?? {};
    if (type !== "resource_link" && type !== "resource") return [];
    return pathOfUri(stringOf(uri) ?? stringOf(asObject(resource)?.["uri"]) ?? "") ?? [];
  });
  const words = prompt.texts.flatMap((text) => wordsLikePaths(text.slice(0, longestText)));
  return [...addresses, ...words.map((word) => word.replace(/^@/, ""))];
}

/** Splits first, since a single pattern would take hours for a long word without a dot, such as a pasted key or image. */
function wordsLikePaths(text: string): readonly string[] {
  return text.split(/[^\w@.~+\\/-]+/).flatMap((word) => /^.*\.\w+/.exec(word)?.[0] ?? []);
}

/** Maximum characters to scan, since prompts may contain whole files. */
const longestText = 64 * 1024;

function pathOfUri(uri: string): string | undefined {
  const [, path] = /^file:\/\/(?:localhost)?(\/[^?#]*)/.exec(uri) ?? [];
  if (path === undefined) return undefined;
  return attempt(() => decodeURIComponent(path).replace(/^\/(?=[A-Za-z]:\/)/, ""));
}

/** Returns an absolute path with `/` as separator. */
function absolutePath(path: string, cwd: string): string {
  const slashed = path.replaceAll("\\", "/");
  if (slashed.startsWith("/") || /^[A-Za-z]:\//.test(slashed)) return slashed;
  return `${cwd.replaceAll("\\", "/").replace(/\/$/, "")}/${slashed.replace(/^\.\//, "")}`;
}
