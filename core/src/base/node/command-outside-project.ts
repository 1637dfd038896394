import { closeSync, openSync, readSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import type { Command } from "../command.js";
import { outerEnvironment } from "./search-path-outside-project.js";
import { resolveCommand, systemLookup } from "./resolve-command.js";

const maxLineBytes = 256;

/**
 * Changes `command` so that neither its program nor its script's interpreter is found in `roots`, which agents can write to. Returns
 * `command` unmodified if PATH finds both elsewhere. Programs given as a path are a deliberate choice and aren't changed. `env` is the
 * program's complete environment.
 */
export function outerCommand(
  command: Command,
  env: NodeJS.ProcessEnv,
  roots: readonly string[],
): Command | { readonly startError: string } {
  const inner = systemLookup(env, command.cwd);
  const outer = systemLookup(outerEnvironment(env, roots), "/");
  // On Windows, the shell that runs a batch file looks up the programs that the file starts.
  const isPath = process.platform === "win32" ? /[/\\]|^[a-z]:/i.test(command.command) : command.command.includes("/");
  const found = resolveCommand(command.command, inner);
  if (found === undefined) return command;
  const own = isPath ? found : resolveCommand(command.command, outer);
  if (own === undefined) return onlyInside(command.command, found);
  const meant = own === found ? command : { ...command, command: own };
  const line = process.platform === "win32" ? undefined : interpreterOf(own);
  if (line === undefined) return meant;
  const { interpreter, options, variables } = line;
  const there = resolveCommand(interpreter, inner);
  const other = resolveCommand(interpreter, outer);
  if (there === undefined || there === other) return meant;
  if (other === undefined) return onlyInside(interpreter, there);
  const args = [...options, resolve(command.cwd ?? ".", own), ...command.args];
  return { ...command, command: other, args, env: { ...command.env, ...variables } };
}

function onlyInside(name: string, path: string): { readonly startError: string } {
  const where = isAbsolute(path) ? path : resolve(path);
  return {
    startError: `"${name}" is on PATH only as ${where}, in a folder that agents can write to. Install it elsewhere, or configure its path`,
  };
}

/** Parses a script's first line if it uses `env` to find the interpreter on PATH. Undefined for other files. */
function interpreterOf(file: string): ScriptLine | undefined {
  const [, words = ""] = /^#! *\/(?:usr\/)?bin\/env +(?:-S +)?([^\n]*)\n/.exec(beginningOf(file)) ?? [];
  const all = words.trim().split(/[ \t]+/);
  const start = all.findIndex((word) => !/^[A-Za-z_]\w*=[\w.,:=+/@-]*$/.test(word));
  const [interpreter = "", ...options] = start === -1 ? [] : all.slice(start);
  if (!/^[\w.+][\w.+-]*$/.test(interpreter)) return undefined;
  const given = all.slice(0, start).map((word): [string, string] => {
    const end = word.indexOf("=");
    return [word.slice(0, end), word.slice(end + 1)];
  });
  return { interpreter, options, variables: Object.fromEntries(given) };
}

interface ScriptLine {
  readonly interpreter: string;
  readonly options: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

function beginningOf(file: string): string {
  try {
    const descriptor = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(maxLineBytes);
      return bytes.toString("latin1", 0, readSync(descriptor, bytes, 0, maxLineBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Unreadable files have no first line; starting them reports the error.
    return "";
  }
}
