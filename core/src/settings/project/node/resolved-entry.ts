import { stat } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import { asObject, objectsOf } from "../../../base/rpc/json.js";
import { parseShellWords } from "../../../base/shell-words.js";
import { isInFolder } from "../../trust/trust-record.js";
import type { ApprovedEntry } from "../approved-content.js";

/** Interpreters with their options that load no code; the argument after these options is the script. */
const interpreters: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [/^node$/, /^--(?:enable-source-maps|no-deprecation|no-warnings)$/],
  [/^python[\d.]*$/, /^-[uBEIsO]$/],
  [/^(?:ba|da|z|k)?sh$/, /^-[eux]+$/],
  [/^(?:ruby|perl|php)$/, /^-w$/],
];
const packageRunners = /^(?:npx|bunx|uvx)$/;
const runnerOption = /^(?:-y|--yes|-q|--quiet)$/;
const packageName = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\[[\w,-]+\])?(?:(?:@|==)[\w.^~*-]+)?$/;
/** Characters that a shell or program may expand. */
const pattern = /[*?[\]{}$`]/;

interface EntryPlace {
  /** The project's folder, which is the working folder of commands. */
  readonly folder: string;
  readonly root: string;
}

/**
 * Returns whether an entry names every project file that it runs. Recognizes a few command forms: `node` with a script, a program of the
 * project, and `npx` with a package. Ignores installed packages.
 */
export async function isResolved({ key, value }: ApprovedEntry, place: EntryPlace): Promise<boolean> {
  if (key.startsWith("env.")) return isPlainValue(String(value), place);
  if (key.startsWith("hooks.")) return areResolvedHooks(value, place);
  if (!/^(?:mcpServers|agent|proxies)\b/.test(key)) return true;
  const { command, args, env, cwd } = typeof value === "string" ? ofText(value) : ofObject(value);
  const at = { root: place.root, folder: resolve(place.folder, cwd.replaceAll("${workspaceFolder}", place.folder)) };
  for (const one of env) if (!(await isPlainValue(one, at))) return false;
  return command === undefined || isResolvedCommand(command, args, at);
}

/** Returns whether each hook of an event names every project file that it runs; only plain commands without shell syntax can. */
async function areResolvedHooks(value: unknown, place: EntryPlace): Promise<boolean> {
  const handlers = (Array.isArray(value) ? value : []).flatMap((group: unknown) =>
    objectsOf(asObject(group)?.["hooks"]),
  );
  for (const handler of handlers) {
    const { args } = handler;
    const command = withProjectFolder(String(handler["command"]), place.folder);
    const words = Array.isArray(args)
      ? args.map((one: unknown) => withProjectFolder(String(one), place.folder))
      : undefined;
    const parsed = words || /[|&;<>()$`\n]/.test(command) ? undefined : ofText(command);
    const [program, given] = words ? [command, words] : [parsed?.command ?? command.trim(), parsed?.args ?? []];
    for (const one of parsed?.env ?? []) if (!(await isPlainValue(one, place))) return false;
    if ((!words && !parsed) || !(await isResolvedCommand(program, given, place))) return false;
  }
  return true;
}

/** Replaces the variable that names the project's folder in hooks. */
export function withProjectFolder(text: string, folder: string): string {
  return text.replace(/\$\{CLAUDE_PROJECT_DIR\}|\$CLAUDE_PROJECT_DIR\b/g, () => folder);
}

interface EntryCommand {
  readonly command: string | undefined;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
}

function ofText(text: string): EntryCommand {
  const parsed = parseShellWords(text);
  if (parsed.kind === "problem") return { command: text, args: [], env: [], cwd: "." };
  const { command, args, env, cwd = "." } = parsed.command;
  // A text of one word is the name of an agent or a proxy instead of a command.
  return { command: parsed.isBareWord ? undefined : command, args, env: Object.values(env), cwd };
}

function ofObject(value: unknown): EntryCommand {
  const { command, args, env, cwd, workingDirectory } = asObject(value) ?? {};
  const named = [cwd, workingDirectory].find((one) => typeof one === "string") ?? ".";
  const listed = Array.isArray(env)
    ? env.map((one: unknown) => asObject(one)?.["value"])
    : Object.values(asObject(env) ?? {});
  return {
    command: typeof command === "string" ? command : undefined,
    args: Array.isArray(args) ? args.map(String) : [],
    env: listed.map(String),
    cwd: named,
  };
}

async function isResolvedCommand(command: string, args: readonly string[], place: EntryPlace): Promise<boolean> {
  if (/[\\/]/.test(command) && (await kindOf(command, place)) !== "outside") return isFileOf(command, place);
  const name = basename(command).replace(/\.(?:exe|cmd)$/i, "");
  if (packageRunners.test(name)) return packageName.test(args.find((word) => !runnerOption.test(word)) ?? "");
  const [, harmless] = interpreters.find(([one]) => one.test(name)) ?? [];
  const script = harmless && args.find((word) => !harmless.test(word));
  if (script === undefined) return false;
  return (isAbsolute(script) && (await kindOf(script, place)) === "outside") || isFileOf(script, place);
}

async function isFileOf(word: string, place: EntryPlace): Promise<boolean> {
  return (await kindOf(word, place)) === "file";
}

/** Returns whether a variable's value, such as a word or URL, refers to no project files except those that it names. */
async function isPlainValue(value: string, place: EntryPlace): Promise<boolean> {
  if (/^[a-z][a-z+.-]*:\/\/[^\s]*$/i.test(value)) return true;
  // Remove variables whose values the user provides, and replace other variables by their defaults.
  const text = value.replace(/\$\{(?:env|secret|input):[^{}]*\}/g, "").replace(/\$\{[^{}]*?:-([^{}]*)\}/g, "$1");
  for (const word of text.split(/[\s"'`|&;<>()=,:]+/).filter((one) => one !== "")) {
    const kind = await kindOf(word, place);
    if (kind === "folder" || kind === "pattern") return false;
    if (kind === "nothing" && /[\\/]|^\./.test(word) && !(await isName(word, place))) return false;
  }
  return true;
}

/** Returns whether a word that contains a slash is a name instead of a path, such as the name of a model. */
async function isName(word: string, place: EntryPlace): Promise<boolean> {
  const [, first] = /^(\w[\w.-]*)\/[\w.-]+$/.exec(word) ?? [];
  return first !== undefined && (await kindOf(first, place)) === "nothing";
}

async function kindOf(
  word: string,
  { folder, root }: EntryPlace,
): Promise<"file" | "folder" | "nothing" | "outside" | "pattern"> {
  const text = word.replaceAll("${workspaceFolder}", folder);
  const path = resolve(folder, text);
  if (pattern.test(text)) return "pattern";
  if (text.startsWith("~") || !isInFolder(path, root)) return "outside";
  const found = await stat(path).catch(() => undefined);
  return found === undefined ? "nothing" : found.isFile() ? "file" : "folder";
}
