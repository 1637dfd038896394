import { statSync } from "node:fs";
import type { Command } from "../conductor/component-process.js";
import { batchArguments } from "./batch-command-line.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";

/** What the operating system is to start. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The arguments are quoted already. */
  readonly isVerbatim: boolean;
}

/** Prepares `command` for the operating system, or says why it cannot start, as an error code such as `ENOENT`. */
export function toProgram(command: Command, baseEnv: NodeJS.ProcessEnv): Program | { readonly startError: string } {
  if (command.cwd !== undefined && !isFolder(command.cwd)) return { startError: "ENOTDIR" };
  const env = mergeEnvironment(baseEnv, command.env, process.platform);
  if (process.platform !== "win32") return { file: command.command, args: command.args, env, isVerbatim: false };
  // Only the shell finds and runs `npx.cmd` for `npx`, so we look it up ourselves.
  const file = resolveCommand(command.command, systemLookup(env, command.cwd));
  if (file === undefined) return { startError: "ENOENT" };
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args: command.args, env, isVerbatim: false };
  const args = batchArguments(file, command.args);
  if (args === undefined) return { startError: "EINVAL" };
  return { file: env["ComSpec"] ?? "cmd.exe", args, env, isVerbatim: true };
}

/** `base` with `added` on top; on Windows a variable's name matches in any case. */
export function mergeEnvironment(
  base: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
  platform: string,
): NodeJS.ProcessEnv {
  if (platform !== "win32") return { ...base, ...added };
  const replaced = new Set(Object.keys(added).map((name) => name.toUpperCase()));
  return {
    ...Object.fromEntries(Object.entries(base).filter(([name]) => !replaced.has(name.toUpperCase()))),
    ...added,
  };
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
