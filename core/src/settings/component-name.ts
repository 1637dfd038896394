import type { Command } from "../base/command.js";

const runners = new Set(["npx", "bunx", "uvx", "pipx", "node", "python", "python3", "deno", "bun"]);
const runnerWords = new Set(["run", "x", "--package", "--from", "--spec"]);

/**
 * A short name for messages and traces: the program's file name, or what a runner such as npx or node runs,
 * without folder, npm scope, version and file ending.
 */
export function componentName({ command, args }: Command): string {
  const program = baseName(command).replace(/\.(?:exe|cmd|bat)$/i, "");
  if (!runners.has(program)) return program;
  const target = args.find((word) => !word.startsWith("-") && !runnerWords.has(word));
  if (target === undefined) return program;
  const name = baseName(target)
    .replace(/(?<=.)(?:@|==).*$/, "")
    .replace(/\.[cm]?[jt]s$|\.py$/, "");
  return name === "" ? program : name;
}

function baseName(path: string): string {
  return path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
}
