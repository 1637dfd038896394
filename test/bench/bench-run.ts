import { Child, runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import type { RunFolder } from "../support/run-folder.js";
import { BenchClient } from "./bench-client.js";
import { benchPath, type Lane, type Lanes } from "./lanes.js";
import { LineClient } from "./line-client.js";
import type { Scale } from "./scale.js";

const commandMs = 60_000;

/** Lanes, scale and folder that all measures share. */
export class BenchRun {
  constructor(
    readonly lanes: Lanes,
    readonly scale: Scale,
    private readonly folder: RunFolder,
  ) {}

  /** Starts a lane, and nothing more; `env` is added to its environment. */
  start(lane: Lane, env: Readonly<Record<string, string>> = {}): BenchClient {
    const options = this.#options(lane);
    return new BenchClient({ ...options, env: { ...options.env, ...env } });
  }

  /** Starts a lane and opens a session; `env` is added to its environment. */
  open(lane: Lane, env: Readonly<Record<string, string>> = {}): Promise<BenchClient> {
    const options = this.#options(lane);
    return BenchClient.open({ ...options, env: { ...options.env, ...env } });
  }

  /** Starts a lane that isn't an agent. */
  startProgram(lane: Lane): Child {
    return new Child(this.#options(lane));
  }

  /** Starts a lane that is timed by its lines. */
  startLines(lane: Lane): LineClient {
    return new LineClient(this.#options(lane));
  }

  /** Runs `use` with a session of each lane, by name; all of them are gone afterwards. */
  async withSessions(
    lanes: Readonly<Record<string, Lane | undefined>>,
    use: (sessions: ReadonlyMap<string, BenchClient>) => Promise<void>,
  ): Promise<void> {
    const sessions = new Map<string, BenchClient>();
    try {
      for (const [name, lane] of Object.entries(lanes)) if (lane) sessions.set(name, await this.open(lane));
      await use(sessions);
    } finally {
      await Promise.all([...sessions.values()].map((session) => session[Symbol.asyncDispose]()));
    }
  }

  /** Folder of the sessions. */
  get workspace(): string {
    return this.folder.workspace;
  }

  /** Runs a subcommand of the command to its end and returns its output. */
  async command(...words: readonly string[]): Promise<string> {
    return (await runToEnd(this.#options([...conductorWords, ...words]), commandMs)).stdout;
  }

  /** Processes of this run that are there now; Linux only, elsewhere 0. */
  async countProcesses(): Promise<number> {
    return (await survivingProcesses(this.folder.root, 0)).size;
  }

  #options(lane: Lane): ConstructorParameters<typeof Child>[0] {
    return { words: lane, env: { ...this.folder.env, PATH: benchPath }, cwd: this.folder.workspace };
  }
}
