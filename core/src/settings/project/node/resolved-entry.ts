import { stat } from "node:fs/promises";
import { basename, isAbsolute, resolve } from "node:path";
import { asObject } from "../../../base/rpc/json.js";
import { parseShellWords } from "../../../base/shell-words.js";
import { isInFolder } from "../../trust/trust-record.js";
import type { ApprovedEntry } from "../approved-content.js";

/** Options that load no code, by interpreter. The next word is its script. */
const interpreters: readonly (readonly [name: RegExp, harmless: RegExp])[] = [
  [/^node$/, /^--(?:enable-source-maps|no-deprecation|no-warnings)$/],
  [/^python[\d.]*$/, /^-[uBEIsO]$/],
  [/^(?:ba|da|z|k)?sh$/, /^-[eux]+$/],
  [/^(?:ruby|perl|php)$/, /^-w$/],
];
/** Programs that download a package and run it. */
const packageRunners = /^(?:npx|bunx|uvx)$/;
const runnerOption = /^(?:-y|--yes|-q|--quiet)$/;
const packageName = /^(?:@[\w.-]+\/)?\w[\w.-]*(?:\[[\w,-]+\])?(?:(?:@|==)[\w.^~*-]+)?$/;
/** Makes a shell, and some programs, look for names. */
const pattern = /[*?[\]{}$`]/;

interface EntryPlace {
  /** The project's folder, where commands start. */
  readonly folder: string;
  readonly root: string;
}

/**
 * Whether everything of the project that an entry runs is a file which a word of the entry names. Decided by the few forms of commands
 * that are known for it: `node` and a script, a program of the project, `npx` and a package. Packages that are installed do not count.
 */
export async function isResolved({ key, value }: ApprovedEntry, place: EntryPlace): Promise<boolean> {
  if (key.startsWith("env.")) return isPlainValue(String(value), place);
  if (!/^(?:mcpServers|agent|proxies)\b/.test(key)) return true;
  const { command, args, env, cwd } = typeof value === "string" ? ofText(value) : ofObject(value);
  const at = { root: place.root, folder: resolve(place.folder, cwd.replaceAll("${workspaceFolder}", place.folder)) };
  for (const one of env) if (!(await isPlainValue(one, at))) return false;
  return command === undefined || isResolvedCommand(command, args, at);
}

interface EntryCommand {
  readonly command: string | undefined;
  readonly args: readonly string[];
  /** The values of its variables. */
  readonly env: readonly string[];
  readonly cwd: string;
}

function ofText(text: string): EntryCommand {
  const parsed = parseShellWords(text);
  if (parsed.kind === "problem") return { command: text, args: [], env: [], cwd: "." };
  const { command, args, env, cwd = "." } = parsed.command;
  // One word is the name of an agent or a proxy.
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

/** Whether a value of a variable leads to nothing of the project but files that it names, such as a word or an address. */
async function isPlainValue(value: string, place: EntryPlace): Promise<boolean> {
  if (/^[a-z][a-z+.-]*:\/\/[^\s]*$/i.test(value)) return true;
  // The user's own values, and those that the text gives itself.
  const text = value.replace(/\$\{(?:env|secret|input):[^{}]*\}/g, "").replace(/\$\{[^{}]*?:-([^{}]*)\}/g, "$1");
  for (const word of text.split(/[\s"'`|&;<>()=,:]+/).filter((one) => one !== "")) {
    const kind = await kindOf(word, place);
    if (kind === "folder" || kind === "pattern") return false;
    if (kind === "nothing" && /[\\/]|^\./.test(word) && !(await isName(word, place))) return false;
  }
  return true;
}

/** Whether a word with a slash is no path, such as the name of a model. */
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
