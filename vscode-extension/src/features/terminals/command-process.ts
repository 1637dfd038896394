import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { type Command, isDoneWithin } from "@symposium-dev/core";
import { type ProcessTree, processTree, startProgram, type Watchdog } from "@symposium-dev/core/node";

export interface CommandExit {
  readonly code: number | null;
  readonly signal: string | null;
}

interface CommandProcessOptions {
  readonly command: Command;
  /** True if `command.command` is a shell command line. */
  readonly isShellLine: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly watchdog: Watchdog;
  /** Receives stdout and stderr. Returns true to pause the stream until `resume` is called. */
  output(text: string, resume: () => void): boolean;
}

/** Maximum wait for the rest of the output after the program's exit, since descendants may still have the stream open. */
const outputGraceMs = 250;
const terminationMs = 1_500;
const leftoverGraceMs = 300;

/** Command without input, in a separate process group. `exited` resolves once the command has exited and its output has ended. */
export class CommandProcess {
  readonly exited: Promise<CommandExit>;
  readonly #child: ChildProcess;
  readonly #tree: ProcessTree | undefined;
  readonly #gone: Promise<unknown>;
  #ending: Promise<void> | undefined;

  private constructor(
    child: ChildProcess,
    private readonly options: CommandProcessOptions,
  ) {
    this.#child = child;
    this.#gone = new Promise((resolve) => child.once("exit", resolve));
    this.exited = this.#watch();
    if (child.pid !== undefined) this.#tree = processTree(child.pid);
  }

  /** Starts a command. Rejects with the system's error if the program can't be started. */
  static start(options: CommandProcessOptions): Promise<CommandProcess> {
    return new Promise((resolve, reject) => {
      const child = startCommand(options);
      child.once("error", reject);
      const process = new CommandProcess(child, options);
      child.once("spawn", () => {
        child.off("error", reject);
        // Ignore errors of a kill signal that is sent after the exit.
        child.on("error", () => undefined);
        resolve(process);
      });
    });
  }

  /** Ends the command and its descendants. Resolves when all these processes have ended. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    await this.#tree?.observe();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      this.#tree?.terminate();
      if (!(await isDoneWithin(this.#gone, terminationMs))) {
        await this.#tree?.observe();
        this.#tree?.kill();
      }
      await this.#gone;
    }
    await this.#tree?.endLeftovers(leftoverGraceMs);
    if (this.#child.pid !== undefined) this.options.watchdog.remove(this.#child.pid);
    await this.exited;
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  async #watch(): Promise<CommandExit> {
    const child = this.#child;
    const closed = new Promise((resolve) => child.once("close", resolve));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      const decoder = new StringDecoder("utf8");
      stream.on("data", (bytes: Buffer) => {
        if (this.options.output(decoder.write(bytes), () => stream.resume())) stream.pause();
      });
      stream.on("end", () => this.options.output(decoder.end(), () => undefined));
      stream.on("error", () => undefined);
    }
    await this.#gone;
    await isDoneWithin(closed, outputGraceMs);
    return { code: child.exitCode, signal: child.signalCode };
  }
}

function startCommand({ command, isShellLine, env, watchdog }: CommandProcessOptions): ChildProcess {
  const started = startProgram(command, {
    ...{ env, watchdog, confined: "editor", stdio: ["ignore", "pipe", "pipe"] },
    ...(isShellLine && { shell: shell() }),
  });
  if ("startError" in started) throw new Error(started.startError);
  return started.child;
}

/** Agents write commands for bash, regardless of the user's shell. */
function shell(): string | true {
  if (process.platform === "win32") return true;
  return existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
}
