import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { StartProcess } from "../component-process.js";
import type { Command } from "../command.js";
import type { SelfCommand } from "./mcp-bridge/loopback-bridge.js";

/** Where package runners start, and how this product starts itself. */
export interface PackageStartOptions {
  /** A folder of ours: what a project has in its own would decide what runs, such as its `node_modules` and `.npmrc`. */
  readonly folder: string;
  readonly self: SelfCommand;
  /** The folder that the program itself gets where its command names none. */
  readonly cwd: string;
}

/** Runners that need no more than another folder: what they start hears of its session's folder by ACP. */
const otherRunners: ReadonlySet<string> = new Set(["uvx", "pipx", "bunx", "pnpx"]);
const switches: ReadonlySet<string> = new Set(["-y", "--yes", "-q", "--quiet"]);

/** `start`, which starts package runners in a folder of ours, and what they bring in the folder that was meant. */
export function startingPackagesElsewhere(start: StartProcess, options: PackageStartOptions): StartProcess {
  return (name, command, handlers) => start(name, packageStart(command, options), handlers);
}

/** The command as it is, unless it is a package runner. */
export function packageStart(command: Command, options: PackageStartOptions): Command {
  const runner = command.command.replace(/\.(?:cmd|exe)$/i, "");
  if (runner !== "npx" && !otherRunners.has(runner)) return command;
  makeProject(options.folder);
  return (runner === "npx" ? npxStart(command, options) : undefined) ?? { ...command, cwd: options.folder };
}

/** Has npx, which looks for packages where it is, start us, who start the package where it was meant to. */
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

/** With a manifest of its own, the folder is a project of its own, whatever lies above it. */
function makeProject(folder: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
}
