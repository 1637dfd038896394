import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { statSync } from "node:fs";
import type { Command } from "../command.js";
import type { Confined, ConfinedProgram } from "./confinement.js";
import { outerCommand } from "./outer-command.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";
import type { Watchdog } from "./watchdog.js";

interface StartProgramOptions {
  /** What the program inherits. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends the program, with all it has started, when this process is killed. Whoever starts it removes it. */
  readonly watchdog?: Watchdog | undefined;
  readonly stdio: StdioOptions;
  /** The sandbox that it runs in, or why it has none. */
  readonly confined: Confined;
  /** Folders where agents write: what the command names is not taken from there, but by a path. */
  readonly notFrom?: readonly string[] | undefined;
  /** It is the user's, in our terminal and with its signals; every other one has a session and process group of its own. */
  readonly isInTerminal?: boolean;
  /** `command.command` is a line for this shell, or for the system's. */
  readonly shell?: string | true;
}

interface StartedProgram extends Pick<ConfinedProgram, "fault"> {
  readonly child: ChildProcess;
}

/**
 * Starts every program that runs on an agent's behalf: agents, proxies, MCP servers, language servers, cargo, the commands of
 * terminals. Never throws: a failure to start is a `startError`, such as `ENOENT`, or an `error` of the child.
 */
export function startProgram(
  given: Command,
  options: StartProgramOptions,
): StartedProgram | { readonly startError: string } {
  const { env, watchdog, isInTerminal = false, shell, notFrom } = options;
  watchdog?.start();
  const command = notFrom ? outerCommand(given, mergeEnvironment(env, given.env, process.platform), notFrom) : given;
  if ("startError" in command) return command;
  const plain = shell === undefined ? toProgram(command, env) : shellLine(command, env);
  if ("startError" in plain) return plain;
  const program = confinedProgram(plain, command, options);
  if ("startError" in program) return program;
  let child: ChildProcess | undefined;
  try {
    child = spawn(program.file, program.args, {
      env: program.env,
      stdio: program.stdio,
      // On Windows it would open a console window instead.
      detached: !isInTerminal && process.platform !== "win32",
      // What is hidden has no console, which a program that talks with the user needs.
      windowsHide: !isInTerminal || !process.stdin.isTTY,
      windowsVerbatimArguments: plain.isVerbatim,
      ...(shell !== undefined && !program.started && { shell }),
      ...(program.cwd !== undefined && { cwd: program.cwd }),
    });
    if (child.pid !== undefined) watchdog?.add(child.pid);
    return { child, ...(program.fault && { fault: program.fault }) };
  } catch (error) {
    // Some failures are thrown (an argument list that is too long, a NUL in it), most are reported by an event.
    return { startError: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  } finally {
    program.started?.(child);
  }
}

type ProgramToStart = Omit<ConfinedProgram, "started" | "cwd"> &
  Partial<Pick<ConfinedProgram, "started">> & { readonly cwd: string | undefined };

/** The program in its sandbox, where it has one. */
function confinedProgram(
  { file, args, env }: Program,
  command: Command,
  { confined, stdio, shell }: StartProgramOptions,
): ProgramToStart | { readonly startError: string } {
  if (typeof confined === "string") return { file, args, env, stdio, cwd: command.cwd };
  const words = shell === undefined ? { file, args } : { file: shell === true ? "/bin/sh" : shell, args: ["-c", file] };
  return confined.confine({ ...words, env, given: command.env, cwd: command.cwd ?? process.cwd(), stdio });
}

function shellLine({ command, env }: Command, inherited: NodeJS.ProcessEnv): Program {
  return { file: command, args: [], env: mergeEnvironment(inherited, env, process.platform), isVerbatim: false };
}

/** What the operating system is to start. */
interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The arguments are quoted already. */
  readonly isVerbatim: boolean;
}

/** Prepares `command` for the operating system, or says why it cannot start, as an error code such as `ENOENT`. */
function toProgram(command: Command, baseEnv: NodeJS.ProcessEnv): Program | { readonly startError: string } {
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
function mergeEnvironment(
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

/** Arguments of `cmd.exe` that run a batch file (`.cmd`, `.bat`), each to be passed verbatim. */
type BatchArguments = readonly string[];

/**
 * How to run a batch file, which Windows starts only through `cmd.exe`, with arguments that arrive unchanged and
 * never act as commands. Undefined when that is impossible: no quoting carries a line break or a NUL, and a path
 * cannot hold a quote. Doubled quotes keep the state of cmd.exe and of the C runtime in step in every parse, and
 * a `%` is followed by a variable that expands to nothing, so that no name is formed.
 */
export function batchArguments(file: string, args: readonly string[]): BatchArguments | undefined {
  if (/["\r\n\0]|\\$/.test(file) || args.some((arg) => /[\r\n\0]/.test(arg))) return undefined;
  const line = [`"${escapePercents(file)}"`, ...args.map(quote)].join(" ");
  return ["/d", "/e:ON", "/v:OFF", "/s", "/c", `"${line}"`];
}

/** Characters that need no quotes in any parse. */
const plain = /^[\w#$*+\-./:?@\\]*[\w#$*+\-./:?@]$/;

function quote(arg: string): string {
  if (plain.test(arg)) return arg;
  // Backslashes count only before a quote, where each must be doubled.
  const escaped = arg.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${escapePercents(escaped)}"`;
}

function escapePercents(text: string): string {
  return text.replaceAll("%", "%%cd:~,%");
}
