import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A subcommand with its arguments, the folder it runs in and its whole environment. */
export interface CommandRun {
  readonly name: "chat" | "context" | "guard" | "hooks" | "mcp" | "recommendations" | "sessions" | "trust";
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Exit code and output. */
export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let server: ChildProcess | undefined;
let last: Promise<unknown> = Promise.resolve();

/** Runs a subcommand in a process that all tests share, since loading the modules takes longer than most runs do; one run at a time. */
export function runCommand(run: CommandRun): Promise<CommandOutcome> {
  const outcome = last.then(() => ask(run));
  last = outcome.catch(() => undefined);
  return outcome;
}

async function ask(run: CommandRun): Promise<CommandOutcome> {
  server ??= startServer();
  const answer = once(server, "message") as Promise<[CommandOutcome]>;
  const end = once(server, "exit").then(() => {
    throw new Error(`The process of commands ended in ${run.name} ${run.words.join(" ")}.`);
  });
  server.ref();
  server.send({ ...run, env: definedIn(run.env) });
  try {
    const [outcome] = await Promise.race([answer, end]);
    return outcome;
  } finally {
    server.unref();
    server.channel?.unref();
    end.catch(() => undefined);
  }
}

function startServer(): ChildProcess {
  const child = fork(new URL("./command-server.js", import.meta.url), {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.setMaxListeners(0);
  return child;
}

function definedIn(env: CommandRun["env"]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}
