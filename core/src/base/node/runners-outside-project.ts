import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartProcess } from "../component-process.js";
import type { Command } from "../command.js";
import type { SelfCommand } from "./mcp-bridge/loopback-bridge.js";

export interface PackageStartOptions {
  /** Symposium's folder for package runners. In a project's folder, its `node_modules` and `.npmrc` would decide which program runs. */
  readonly folder: string;
  readonly self: SelfCommand;
  /** Working folder for the program itself if its command has none. */
  readonly cwd: string;
}

/** Package runners that only need another working folder, because ACP tells their agents the session's folder. */
const otherRunners: ReadonlySet<string> = new Set(["uvx", "pipx", "bunx", "pnpx"]);
const switches: ReadonlySet<string> = new Set(["-y", "--yes", "-q", "--quiet"]);

/** Wraps `start` to run package runners in Symposium's folder and their packages in the original folder. */
export function startingPackagesElsewhere(start: StartProcess, options: PackageStartOptions): StartProcess {
  return (name, command, handlers) => start(name, packageStart(command, options), handlers);
}

export function packageStart(command: Command, options: PackageStartOptions): Command {
  const runner = command.command.replace(/\.(?:cmd|exe)$/i, "");
  if (runner !== "npx" && !otherRunners.has(runner)) return command;
  makeProject(options.folder);
  return (runner === "npx" ? npxStart(command, options) : undefined) ?? { ...command, cwd: options.folder };
}

/**
 * Makes npx start Symposium, which then starts the package in the original folder, because npx looks for packages in its working folder.
 */
function npxStart(command: Command, { folder, self, cwd }: PackageStartOptions): Command | undefined {
  const given = [...command.args];
  const taken: string[] = [];
  let from: string | undefined;
  for (let word = given[0] ?? ""; word.startsWith("-"); word = given[0] ?? "") {
    given.shift();
    const [, named] = /^--package=(.+)$/.exec(word) ?? [];
    if (word === "--package" || word === "-p") from = given.shift();
    else if (named !== undefined) from = named;
    else if (switches.has(word)) taken.push(word);
    else if (word === "--") break;
    else return undefined;
  }
  const [first, ...args] = given;
  if (first === undefined) return undefined;
  const place = JSON.stringify({ cwd: command.cwd ?? cwd, ...(from !== undefined && { program: first }) });
  const launch = [self.command, ...self.args, "start-package", place, ...args];
  return {
    ...command,
    args: [...taken, `--package=${from ?? first}`, "--", ...launch],
    env: { ...command.env, ...self.env },
    cwd: folder,
  };
}

/** A manifest makes npm treat the folder as a project, regardless of parent folders. */
function makeProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
}
