import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conductorWords } from "./conductor-command.js";
import { objectOf, type JsonObject } from "./json.js";
import { type Answer, lostCode, RawClient } from "./raw-client.js";
import { pathWith } from "./repository.js";
import { createRunFolder, type RunFolder } from "./run-folder.js";
import { survivingProcesses } from "./surviving-processes.js";

export interface StartOptions {
  /** Content of config.jsonc; if absent, no file is written. */
  readonly config?: string;
  /** Added to the isolated environment. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How a command ended. */
interface CommandEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The released command, as an editor starts it. Every process below it carries this run's folder in its environment. */
export class StartedCommand {
  readonly client: RawClient;
  readonly #ended: Promise<unknown>;

  private constructor(
    readonly folder: RunFolder,
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    const command = [...conductorWords, ...words];
    this.client = new RawClient({ words: command, env, cwd: folder.workspace });
    this.#ended = once(this.client.child.process, "close");
  }

  /** Starts `symposium-acp-agent` with these words; the stack ends everything that is left of it. */
  static async start(
    stack: AsyncDisposableStack,
    words: readonly string[],
    options: StartOptions = {},
  ): Promise<StartedCommand> {
    const folder = stack.use(await createCommandFolder(options.config));
    stack.defer(() => killLeftovers(folder));
    const started = new StartedCommand(folder, words, { ...commandEnvironment(folder), ...options.env });
    stack.use(started.client);
    return started;
  }

  /** The id of the command's own process. */
  get pid(): number {
    return this.client.child.process.pid ?? 0;
  }

  /** Sends a signal to the command alone. */
  signal(name: NodeJS.Signals): void {
    this.client.child.process.kill(name);
  }

  /** Waits for the end, and for the end of its output. */
  async ended(): Promise<CommandEnd> {
    await this.#ended;
    const { exitCode, signalCode } = this.client.child.process;
    return { code: exitCode, signal: signalCode };
  }

  /** Processes of this run whose command line matches, by id. */
  async processes(pattern: RegExp): Promise<readonly number[]> {
    const found = await survivingProcesses(this.folder.root, 0);
    return [...found].filter(([, words]) => pattern.test(words)).map(([pid]) => pid);
  }

  /** Checks that it ended in this way, left no process, and wrote nothing but messages. */
  async endsCleanly(expected: CommandEnd): Promise<void> {
    assert.deepEqual(await this.ended(), expected, this.client.child.stderrTail);
    assert.deepEqual(await survivingProcesses(this.folder.root, graceMs), new Map());
    assert.deepEqual(this.client.faults, []);
  }
}

/** A kill of everything takes the watchdog a second; a busy machine may need more. */
const graceMs = 10_000;

/** Folders for one run of the command, with its configuration. */
export async function createCommandFolder(config?: string): Promise<RunFolder> {
  const folder = await createRunFolder("command");
  await mkdir(configFolderOf(folder));
  if (config !== undefined) await writeFile(configFileOf(folder), config);
  return folder;
}

export function configFileOf(folder: RunFolder): string {
  return join(configFolderOf(folder), "config.jsonc");
}

/** The environment of a run: the PATH carries the folder too, for processes that get nothing else. */
export function commandEnvironment(folder: RunFolder): Readonly<Record<string, string>> {
  const PATH = pathWith(join(folder.root, "bin"));
  return { ...folder.env, PATH, SYMPOSIUM_CONFIG_DIR: configFolderOf(folder) };
}

/** The members of an error that a failed component leaves, after a check that there was an answer at all. */
export function failureOf(answer: Answer): { readonly message: unknown; readonly data: JsonObject } {
  const { code, message, data } = objectOf(answer.value);
  assert.equal(answer.isError, true, `answered ${answer.text}`);
  assert.notEqual(code, lostCode, `never answered: ${answer.text}`);
  assert.equal(code, -32603, answer.text);
  return { message, data: objectOf(data) };
}

export function configFolderOf(folder: RunFolder): string {
  return join(folder.root, "config");
}

async function killLeftovers(folder: RunFolder): Promise<void> {
  for (const pid of (await survivingProcesses(folder.root, 0)).keys()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone in the meantime.
    }
  }
}
