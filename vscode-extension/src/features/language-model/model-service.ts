import * as l10n from "@vscode/l10n";
import {
  AgentRefusal,
  ask,
  type Command,
  type InformationParams,
  type InformationResult,
  lmMethods,
  type LmPart,
  type Logger,
  Request,
  type ResponseParams,
  type ResponseResult,
  type StartProcess,
  SymposiumError,
} from "@symposium-dev/core";
import { ConnectedProcess } from "../../acp/connected-process.js";
import { CrashLimit } from "../../acp/agent-configuration.js";
import { chainWords, trustWords } from "../agents/subcommand-runner.js";
import type { Settings } from "../settings/settings-table.js";
import { type AskPermission, LmClient } from "./lm-client.js";
import { readInformation } from "./model-catalogue.js";

interface ModelServiceOptions {
  /** Returns the `vscodelm` command line for the current settings. Throws if the command isn't found. */
  command(): Command;
  readonly startProcess: StartProcess;
  readonly askPermission: AskPermission;
  readonly logger: Logger;
  readonly cancelMs?: number;
  /** Resolves after `ms` milliseconds. */
  wait(ms: number): Promise<void>;
  /** Returns milliseconds since the epoch. */
  now(): number;
}

const name = l10n.t("The language model process");
/** Pause in milliseconds before the process is started again after repeated crashes. */
const holdMs = 5 * 60_000;

/**
 * Owns the process that serves the window's models: starts it on first use, after it has exited, and when the settings change its command
 * line. Every request settles.
 */
export class ModelService implements AsyncDisposable {
  readonly #options: ModelServiceOptions;
  readonly #client: LmClient;
  readonly #policy = new CrashLimit();
  #running: { readonly key: string; readonly process: ConnectedProcess } | undefined;
  #connecting: Promise<ConnectedProcess> | undefined;
  #delayMs = 0;
  /** Earliest automatic start after repeated crashes, in milliseconds since the epoch. */
  #heldUntil = 0;
  #isDisposed = false;

  constructor(options: ModelServiceOptions) {
    this.#options = options;
    const { askPermission, cancelMs } = options;
    this.#client = new LmClient({ askPermission, ...(cancelMs === undefined ? {} : { cancelMs }) });
  }

  /**
   * Sends a request and resolves when the response is complete or cancelled by `signal`; `part` receives the parts. Rejects with a message
   * for the user.
   */
  async respond(params: ResponseParams, part: (part: LmPart) => void, signal: AbortSignal): Promise<ResponseResult> {
    const process = await this.#connect(!bringsResults(params));
    if (signal.aborted) return { stopReason: "cancelled" };
    return explained(process, this.#client.respond(process.peer, params, part, signal));
  }

  /** Asks the process for the agents' models. Returns no models if `signal` aborts, or for a silent request without a running process. */
  async information(params: InformationParams, signal?: AbortSignal): Promise<InformationResult> {
    const process = params.silent === true ? this.#running?.process : await this.#connect(true);
    if (!process) return { models: [] };
    const givenUp = new Promise<InformationResult>((resolve) => {
      signal?.addEventListener("abort", () => resolve({ models: [] }), { once: true });
    });
    const asked = ask(process.peer, Request.of(lmMethods.information, params), signal).then((outcome) => {
      if (outcome.isError) throw new AgentRefusal(outcome.json.value);
      return readInformation(outcome.json.value);
    });
    return explained(process, Promise.race([asked, givenUp]));
  }

  /** Stops the process and resets the crash count at the user's request. The next request starts a new process. */
  async restart(): Promise<void> {
    this.#policy.reset();
    this.#delayMs = 0;
    this.#heldUntil = 0;
    await this.#end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#connecting?.catch(() => undefined);
    await this.#end();
  }

  async #connect(mayReplace: boolean): Promise<ConnectedProcess> {
    if (this.#connecting) return this.#connecting;
    const running = this.#running;
    // A turn can only be continued in the process that started it, so don't replace this process yet.
    if (running && (!mayReplace || this.#client.openCount > 0)) return running.process;
    const command = this.#options.command();
    const key = JSON.stringify(command);
    if (running?.key === key) return running.process;
    this.#connecting = this.#start(command, key).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  async #start(command: Command, key: string): Promise<ConnectedProcess> {
    await this.#end();
    if (this.#options.now() < this.#heldUntil) throw endsTooOften();
    if (this.#delayMs > 0) await this.#options.wait(this.#delayMs);
    this.#delayMs = 0;
    if (this.#isDisposed) throw new SymposiumError("cancelled", l10n.t("The window is closing."));
    const { startProcess, logger } = this.#options;
    const process = new ConnectedProcess({ name, command, startProcess, inbound: this.#client.inbound, logger });
    this.#running = { key, process };
    logger.info("started", { pid: process.pid });
    void process.ended.then((failure) => this.#gone(process, failure));
    return process;
  }

  #gone(process: ConnectedProcess, failure: SymposiumError | undefined): void {
    if (this.#running?.process !== process) return;
    this.#running = undefined;
    if (!failure) return;
    const now = this.#options.now();
    const delayMs = this.#policy.afterCrash(now);
    if (delayMs === undefined) this.#heldUntil = now + holdMs;
    else this.#delayMs = delayMs;
    this.#options.logger.warn("the process ended", { reason: failure.message });
  }

  async #end(): Promise<void> {
    const process = this.#running?.process;
    this.#running = undefined;
    await process?.[Symbol.asyncDispose]();
  }
}

async function explained<T>(process: ConnectedProcess, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (thrown) {
    throw process.failure ?? thrown;
  }
}

/** Returns whether a request continues a turn with tool results. User messages may follow the results. */
function bringsResults({ messages }: ResponseParams): boolean {
  const trailing = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  return trailing.some(({ content }) => content.some(({ type }) => type === "tool_result"));
}

function endsTooOften(): SymposiumError {
  return new SymposiumError(
    "component-exited",
    l10n.t("The language model process stops repeatedly."),
    l10n.t(
      'The log shows why ("Symposium: Show Log"). To try again, use "Symposium: Manage Language Models" and "Restart Agents".',
    ),
  );
}

export function vscodelmCommand(
  command: Command,
  settings: Settings,
  folder: string,
  trusted: readonly string[],
): Command {
  const { proxies, logging } = chainWords(settings);
  const words = ["vscodelm", ...proxies.flatMap((text) => ["--proxy", text]), ...trustWords(trusted), ...logging];
  return { ...command, args: [...command.args, ...words], cwd: folder };
}
