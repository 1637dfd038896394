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
  /** `command.command` is a line for the shell. */
  readonly isShellLine: boolean;
  /** Inherited by the command. */
  readonly env: NodeJS.ProcessEnv;
  /** Ends the command when this process is killed. */
  readonly watchdog: Watchdog;
  /** Gets stdout and stderr as they come; true asks to wait until `resume` is called. */
  output(text: string, resume: () => void): boolean;
}

/** From the end of the program to the end of its output, which descendants may hold open. */
const outputGraceMs = 250;
/** From SIGTERM to SIGKILL. */
const terminationMs = 1_500;
const leftoverGraceMs = 300;

/** A command without input, in a process group of its own. Resolves `exited` once, when it is gone and its output read. */
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

  /** Rejects with the system's error when the program cannot be started. */
  static start(options: CommandProcessOptions): Promise<CommandProcess> {
    return new Promise((resolve, reject) => {
      const child = startCommand(options);
      child.once("error", reject);
      const process = new CommandProcess(child, options);
      child.once("spawn", () => {
        child.off("error", reject);
        // A kill that comes too late is no failure.
        child.on("error", () => undefined);
        resolve(process);
      });
    });
  }

  /** Ends the command and all it started; resolves with all of it gone. */
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

/** Agents write for bash where it exists, whatever the user's own shell is. */
function shell(): string | true {
  if (process.platform === "win32") return true;
  return existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh";
}
