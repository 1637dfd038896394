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
  /** Environment that child processes would inherit; default is this process's. */
  readonly env?: NodeJS.ProcessEnv;
  readonly platform?: string;
  /** Timeout for the user's shell profile. Default 5 s. */
  readonly timeoutMs?: number;
  readonly logger?: Logger;
}

/** Variable that passes the mark to the program that prints the environment. It also stops recursion if a profile starts Symposium. */
const markVariable = "SYMPOSIUM_ENVIRONMENT_MARK";
const maxOutput = 4 * 1024 * 1024;
/** Time in milliseconds for the shell to exit after its answer, and for leftover processes to exit after the shell. */
const leftoverGraceMs = 200;

/**
 * Program that prints the environment. Contains no apostrophes or exclamation marks, which shells treat differently, and never prints the
 * mark variable itself.
 */
const printEnvironment = `const { ${markVariable}: mark, ...env } = process.env; process.stdout.write(mark + JSON.stringify(env) + mark)`;

/** Variables that the queried shell sets for itself, not for the user. */
const shellsOwn = new Set([
  ...["_", "PWD", "OLDPWD", "SHLVL", "TERM", "COLUMNS", "LINES", markVariable],
  ...Object.keys(asNodeEnvironment),
]);

/**
 * Combines the given environment with the login shell's, so that programs found in a terminal are also found after a start from a desktop
 * icon. Returns the given environment on Windows, or if the shell doesn't answer. Runs the shell on each call; never rejects, and leaves no
 * process.
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
    logger?.warn("the login shell did not report its environment", { shell });
    return env;
  }
  return underEnvironment(env, login);
}

/** Extracts the JSON object between two marks, ignoring other profile output. Undefined if there is none. */
export function parseMarkedEnvironment(output: string, mark: string): Readonly<Record<string, string>> | undefined {
  const [, ...pieces] = output.split(mark);
  for (const piece of pieces) {
    const variables = piece.startsWith("{") ? parsedObject(piece) : undefined;
    if (variables) {
      const texts = Object.entries(variables).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      );
      return Object.fromEntries(texts);
    }
  }
  return undefined;
}

/** Adds variables that only `login` has. Joins both PATHs, with the login shell's PATH first, since the user configured it. */
export function underEnvironment(env: NodeJS.ProcessEnv, login: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const added = Object.entries(login).filter(([name]) => !shellsOwn.has(name));
  const folders = [login["PATH"], env["PATH"]].flatMap((path) => (path === undefined ? [] : path.split(":")));
  const path = [...new Set(folders)].filter((folder) => folder !== "").join(":");
  return { ...Object.fromEntries(added), ...env, ...(path === "" ? {} : { PATH: path }) };
}

function shellOptions(shell: string): readonly string[] {
  // csh and tcsh support `-l` only as the single option.
  if (/^t?csh$/.test(basename(shell))) return ["-i", "-c"];
  return ["-l", "-i", "-c"];
}

function shellOf(env: NodeJS.ProcessEnv): string | undefined {
  const shell = env["SHELL"] ?? userInfo().shell ?? "/bin/sh";
  return isAbsolute(shell) && !/^(?:nologin|false|true)$/.test(basename(shell)) ? shell : undefined;
}

/** Collects the shell's output until it has printed the environment, exited or timed out. The shell has ended when this resolves. */
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
    // Processes left by the profile may never close the output.
    void gone.then(() => setTimeout(finish, leftoverGraceMs).unref());
  });
  await end(child, gone);
  return output;
}

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

/** Runs in a separate session without a terminal, so that a profile can't prompt the user or take over the terminal. */
function start(shell: string, mark: string, env: NodeJS.ProcessEnv): ReturnType<typeof startProgram> {
  const node = process.execPath.replaceAll("'", `'\\''`);
  const args = [...shellOptions(shell), `'${node}' -e '${printEnvironment}'`];
  return startProgram(
    { command: shell, args, env: { [markVariable]: mark, ...asNodeEnvironment }, cwd: homedir() },
    { env, stdio: ["ignore", "pipe", "ignore"], confined: "login shell" },
  );
}
