import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { homedir, userInfo } from "node:os";
import { basename, isAbsolute } from "node:path";
import type { Logger } from "../logger.js";
import { parsedObject } from "../rpc/json.js";
import { asNodeEnvironment } from "./own-program.js";
import { processTree } from "./process-tree.js";
import { startProgram } from "./start-program.js";

export interface LoginEnvironmentOptions {
  /** What is started from here would inherit; this process's own by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** As in `process.platform`. */
  readonly platform?: string;
  /** How long the user's profile may take. Default 5 s. */
  readonly timeoutMs?: number;
  readonly logger?: Logger;
}

/** Carries the mark to the program that prints the environment, and stops a profile that starts us from looping. */
const markVariable = "SYMPOSIUM_ENVIRONMENT_MARK";
const maxOutput = 4 * 1024 * 1024;
/** How long the shell may take to end after its answer, and what its profile left running to end after the shell. */
const leftoverGraceMs = 200;

/** Without apostrophes and exclamation marks, which shells read differently. The mark is never part of it. */
const printEnvironment = `const { ${markVariable}: mark, ...env } = process.env; process.stdout.write(mark + JSON.stringify(env) + mark)`;

/** What belongs to the shell that was asked and not to the user. */
const shellsOwn = new Set([
  ...["_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLUMNS", "LINES", markVariable],
  ...Object.keys(asNodeEnvironment),
]);

/**
 * The environment with which the user's programs are found: that of their login shell under the one given, so that
 * what a terminal finds is found from a desktop icon too. The given one alone on Windows and where the shell does not
 * answer. Asks the shell each time: call it once. Never rejects, and leaves no process.
 */
export async function loginEnvironment(options: LoginEnvironmentOptions = {}): Promise<NodeJS.ProcessEnv> {
  const { env = process.env, platform = process.platform, logger } = options;
  if (platform === "win32" || env[markVariable] !== undefined) return env;
  const shell = shellOf(env);
  if (shell === undefined) return env;
  const mark = randomUUID();
  const output = await outputOf(shell, mark, env, options.timeoutMs ?? 5_000);
  const login = parseMarkedEnvironment(output, mark);
  if (!login) {
    logger?.warn("the login shell did not tell its environment", { shell });
    return env;
  }
  return underEnvironment(env, login);
}

/** The JSON object of texts between two marks, whatever a profile printed around them. Undefined without one. */
export function parseMarkedEnvironment(output: string, mark: string): Readonly<Record<string, string>> | undefined {
  const [, ...pieces] = output.split(mark);
  for (const piece of pieces) {
    const variables = objectOf(piece);
    if (variables) {
      const texts = Object.entries(variables).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      return Object.fromEntries(texts);
    }
  }
  return undefined;
}

/**
 * `env` with what only `login` has added. The folders of both PATHs are there, the login shell's first: it is the
 * one that the user has set up.
 */
export function underEnvironment(env: NodeJS.ProcessEnv, login: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const added = Object.entries(login).filter(([name]) => !shellsOwn.has(name));
  const folders = [login["PATH"], env["PATH"]].flatMap((path) => (path === undefined ? [] : path.split(":")));
  const path = [...new Set(folders)].filter((folder) => folder !== "").join(":");
  return { ...Object.fromEntries(added), ...env, ...(path === "" ? {} : { PATH: path }) };
}

/** The options with which a shell reads the user's profile and runs one command. */
function shellOptions(shell: string): readonly string[] {
  // These take `-l` only alone.
  if (/^t?csh$/.test(basename(shell))) return ["-i", "-c"];
  return ["-l", "-i", "-c"];
}

function shellOf(env: NodeJS.ProcessEnv): string | undefined {
  const shell = env["SHELL"] ?? userInfo().shell ?? "/bin/sh";
  return isAbsolute(shell) && !/^(?:nologin|false|true)$/.test(basename(shell)) ? shell : undefined;
}

/** What the shell writes until it has told its environment, has ended, or the time is over. Then it is gone. */
async function outputOf(shell: string, mark: string, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string> {
  const started = start(shell, mark, env);
  if ("startError" in started) return "";
  const { child } = started;
  const gone = new Promise<void>((resolve) => child.once("exit", resolve).once("error", resolve));
  const output = await new Promise<string>((resolve) => {
    let text = "";
    const finish = (): void => {
      clearTimeout(timer);
      resolve(text);
    };
    const timer = setTimeout(finish, timeoutMs);
    child.stdout?.on("error", finish);
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      if (text.length > maxOutput || parseMarkedEnvironment(text, mark)) finish();
    });
    child.once("close", finish);
    // What the profile left running may hold the output open for ever.
    void gone.then(() => setTimeout(finish, leftoverGraceMs).unref());
  });
  await end(child, gone);
  return output;
}

/** Lets the shell end by itself, ends it when it does not, and ends what its profile left running. */
async function end(child: ChildProcess, gone: Promise<void>): Promise<void> {
  child.stdout?.destroy();
  if (child.pid === undefined) return;
  const tree = processTree(child.pid);
  await tree.observe();
  const timer = setTimeout(() => tree.kill(), leftoverGraceMs);
  await gone;
  clearTimeout(timer);
  await tree.endLeftovers(leftoverGraceMs);
}

/** In a session of its own without a terminal, so that no profile can ask the user or take the terminal over. */
function start(shell: string, mark: string, env: NodeJS.ProcessEnv): ReturnType<typeof startProgram> {
  const node = process.execPath.replaceAll("'", `'\\''`);
  const args = [...shellOptions(shell), `'${node}' -e '${printEnvironment}'`];
  return startProgram(
    { command: shell, args, env: { [markVariable]: mark, ...asNodeEnvironment }, cwd: homedir() },
    { env, stdio: ["ignore", "pipe", "ignore"], confined: "login shell" },
  );
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  return text.startsWith("{") ? parsedObject(text) : undefined;
}
