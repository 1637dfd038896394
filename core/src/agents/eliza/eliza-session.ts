import type { SessionInfo, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Doctor } from "./doctor.js";
import type { ModeId } from "./session-modes.js";
import type { SessionServers } from "./session-servers.js";

/** An update as `session/load` repeats it; what the user sent is repeated as it came. */
export type RecordedUpdate =
  SessionUpdate | { readonly sessionUpdate: "user_message_chunk"; readonly content: Readonly<Record<string, unknown>> };

/** Updates kept for `session/load`; of longer conversations the beginning is forgotten. */
const historyLimit = 2_000;
const titleLength = 60;

/** One conversation. It outlives its closing, so that it can be loaded again. */
export class ElizaSession {
  mode: ModeId = "talk";
  cwd = "";
  /** Undefined while the session is closed. */
  servers: SessionServers | undefined;
  readonly #history: RecordedUpdate[] = [];
  #turn: AbortController | undefined;
  #title: string | undefined;
  #updatedAt = new Date();

  constructor(
    readonly id: string,
    readonly doctor: Doctor,
  ) {}

  get history(): readonly RecordedUpdate[] {
    return this.#history;
  }

  get info(): SessionInfo {
    return {
      sessionId: this.id,
      cwd: this.cwd,
      ...(this.#title !== undefined && { title: this.#title }),
      updatedAt: this.#updatedAt.toISOString(),
    };
  }

  get isInTurn(): boolean {
    return this.#turn !== undefined;
  }

  /** Begins the one prompt turn that may run at a time. `title` names the session if nothing does yet. */
  beginTurn(title: string): AbortController {
    this.#turn = new AbortController();
    const line = title.trim().replace(/\s+/g, " ");
    if (line !== "") this.#title ??= line.length <= titleLength ? line : `${line.slice(0, titleLength)}…`;
    return this.#turn;
  }

  endTurn(): void {
    this.#turn = undefined;
    this.#updatedAt = new Date();
  }

  cancelTurn(): void {
    this.#turn?.abort();
  }

  record(update: RecordedUpdate): void {
    this.#history.push(update);
    if (this.#history.length > historyLimit) this.#history.splice(0, this.#history.length - historyLimit);
  }

  /** Gives up the turn and the connections; the conversation stays. */
  async close(): Promise<void> {
    this.cancelTurn();
    const { servers } = this;
    this.servers = undefined;
    await servers?.[Symbol.asyncDispose]();
  }
}
