import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { statSync } from "node:fs";
import type { Command } from "../command.js";
import type { Confined, ConfinedProgram } from "./confinement.js";
import { outerCommand } from "./command-outside-project.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";
import type { Watchdog } from "./orphan-watchdog.js";

interface StartProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Watchdog that kills the program and its descendants if this process is killed. The caller must remove the program's group. */
  readonly watchdog?: Watchdog | undefined;
  readonly stdio: StdioOptions;
  readonly confined: Confined;
  /** Folders that agents can write; programs there are started only by path, not by name. */
  readonly notFrom?: readonly string[] | undefined;
  /** Whether the program shares this terminal and its signals. Otherwise, the program runs in a separate session and process group. */
  readonly isInTerminal?: boolean;
  /** Shell that runs `command.command` as a command line; `true` is the system's shell. */
  readonly shell?: string | true;
}

interface StartedProgram extends Pick<ConfinedProgram, "fault"> {
  readonly child: ChildProcess;
}

/**
 * Starts every program that runs for an agent: agents, proxies, MCP servers, language servers, cargo, terminal commands. Never throws: a
 * failed start is a `startError` such as `ENOENT`, or the child's `error` event.
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
      // On Windows, `detached` would open a console window.
      detached: !isInTerminal && process.platform !== "win32",
      // Hidden programs have no console, which interactive programs need.
      windowsHide: !isInTerminal || !process.stdin.isTTY,
      windowsVerbatimArguments: plain.isVerbatim,
      ...(shell !== undefined && !program.started && { shell }),
      ...(program.cwd !== undefined && { cwd: program.cwd }),
    });
    if (child.pid !== undefined) watchdog?.add(child.pid);
    return { child, ...(program.fault && { fault: program.fault }) };
  } catch (error) {
    // Some failures throw, such as an overlong argument list or NUL; most are reported by an event.
    return { startError: error instanceof Error && "code" in error ? String(error.code) : String(error) };
  } finally {
    program.started?.(child);
  }
}

type ProgramToStart = Omit<ConfinedProgram, "started" | "cwd"> &
  Partial<Pick<ConfinedProgram, "started">> & { readonly cwd: string | undefined };

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

interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly isVerbatim: boolean;
}

/** Prepares `command` for the operating system, or returns an error code such as `ENOENT`. */
function toProgram(command: Command, baseEnv: NodeJS.ProcessEnv): Program | { readonly startError: string } {
  if (command.cwd !== undefined && !isFolder(command.cwd)) return { startError: "ENOTDIR" };
  const env = mergeEnvironment(baseEnv, command.env, process.platform);
  if (process.platform !== "win32") return { file: command.command, args: command.args, env, isVerbatim: false };
  // On Windows, only a shell resolves `npx` to `npx.cmd`, so look up the program's file here.
  const file = resolveCommand(command.command, systemLookup(env, command.cwd));
  if (file === undefined) return { startError: "ENOENT" };
  if (!/\.(?:cmd|bat)$/i.test(file)) return { file, args: command.args, env, isVerbatim: false };
  const args = batchArguments(file, command.args);
  if (args === undefined) return { startError: "EINVAL" };
  return { file: env["ComSpec"] ?? "cmd.exe", args, env, isVerbatim: true };
}

/** Adds `added` to `base`; on Windows, variable names ignore case. */
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

/** Verbatim arguments for `cmd.exe` to run a batch file (`.cmd`, `.bat`). */
type BatchArguments = readonly string[];

/**
 * Quotes arguments for a batch file, which Windows starts only through `cmd.exe`, so that they arrive unmodified and can't act as commands.
 * Undefined if impossible: line breaks and NUL can't be quoted, nor can a quote in the path. Doubled quotes synchronize the parsers of
 * cmd.exe and the C runtime; a variable that expands to nothing follows each `%`, so that no variable name forms.
 */
export function batchArguments(file: string, args: readonly string[]): BatchArguments | undefined {
  if (/["\r\n\0]|\\$/.test(file) || args.some((arg) => /[\r\n\0]/.test(arg))) return undefined;
  const line = [`"${escapePercents(file)}"`, ...args.map(quote)].join(" ");
  return ["/d", "/e:ON", "/v:OFF", "/s", "/c", `"${line}"`];
}

/** Matches arguments that no parser treats specially. */
const plain = /^[\w#$*+\-./:?@\\]*[\w#$*+\-./:?@]$/;

function quote(arg: string): string {
  if (plain.test(arg)) return arg;
  // Backslashes are special only before a quote, and must be doubled there.
  const escaped = arg.replace(/(\\*)"/g, '$1$1""').replace(/\\+$/, "$&$&");
  return `"${escapePercents(escaped)}"`;
}

function escapePercents(text: string): string {
  return text.replaceAll("%", "%%cd:~,%");
}
