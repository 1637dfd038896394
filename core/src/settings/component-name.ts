import type { Command } from "../base/command.js";

const packageRunners = new Set(["npx", "bunx", "uvx", "pipx"]);
const interpreters = new Set(["node", "python", "python3", "deno", "bun"]);
/** Options followed by inline code, which has no name. */
const codeWords = new Set(["-e", "--eval", "-p", "--print", "-c", "eval"]);
const runnerWords = new Set(["run", "x", "--package", "--from", "--spec"]);

/**
 * Returns a short name for messages and traces: the program's file name, or the script or package that a runner such as npx or node starts.
 * Omits folder, npm scope, version and suffix.
 */
export function componentName({ command, args }: Command): string {
  const program = baseName(command).replace(/\.(?:exe|cmd|bat)$/i, "");
  const isInterpreter = interpreters.has(program);
  if (!isInterpreter && !packageRunners.has(program)) return program;
  const isName = (word: string): boolean => !word.startsWith("-") && !runnerWords.has(word);
  const isCode = (word: string): boolean => isInterpreter && codeWords.has(word);
  const target = args.find((word) => isName(word) || isCode(word));
  if (target === undefined || isCode(target)) return program;
  const name = baseName(target)
    .replace(/(?<=.)(?:@|==).*$/, "")
    .replace(/\.[cm]?[jt]s$|\.py$/, "");
  return name === "" ? program : name;
}

function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
