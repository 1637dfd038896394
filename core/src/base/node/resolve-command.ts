import { statSync, accessSync, constants } from "node:fs";
import { posix, win32 } from "node:path";

export interface CommandLookup {
  readonly platform: string;
  readonly path: string | undefined;
  readonly pathExt?: string | undefined;
  /** Absolute base folder of relative paths. */
  readonly cwd: string;
  readonly isProgram: (path: string) => boolean;
}

/**
 * Returns the absolute path of the program that `command` names, or undefined. An empty PATH entry means the working folder on POSIX and is
 * ignored on Windows, whose working folder isn't searched either.
 */
export function resolveCommand(command: string, lookup: CommandLookup): string | undefined {
  if (command === "") return undefined;
  return lookup.platform === "win32" ? resolveOnWindows(command, lookup) : resolveOnPosix(command, lookup);
}

export function systemLookup(env: NodeJS.ProcessEnv = process.env, cwd: string = process.cwd()): CommandLookup {
  return { platform: process.platform, path: variable(env, "PATH"), pathExt: variable(env, "PATHEXT"), cwd, isProgram };
}

function resolveOnPosix(command: string, { path, cwd, isProgram: is }: CommandLookup): string | undefined {
  const folders = command.includes("/") ? [cwd] : (path ?? "/usr/bin:/bin").split(":");
  return folders.map((folder) => posix.resolve(cwd, folder, command)).find((candidate) => is(candidate));
}

function resolveOnWindows(command: string, { path, pathExt, cwd, isProgram: is }: CommandLookup): string | undefined {
  const extensions = (pathExt ?? ".COM;.EXE;.BAT;.CMD").split(";").filter((extension) => extension.startsWith("."));
  const hasExtension = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()));
  const isPath = /[/\\]|^[a-z]:/i.test(command);
  const entries = (path ?? "").split(";").map((entry) => entry.trim().replace(/^"(.*)"$/, "$1"));
  const folders = isPath ? [cwd] : entries.filter((entry) => entry !== "");
  for (const folder of folders) {
    const base = win32.resolve(cwd, folder, command);
    const names = [...(hasExtension ? [base] : []), ...extensions.map((extension) => base + extension.toLowerCase())];
    const found = names.find((candidate) => is(candidate));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a variable's value. On Windows, variable names ignore case. */
function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  if (process.platform !== "win32") return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}

function isProgram(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
