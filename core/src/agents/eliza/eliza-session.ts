import type {
  SessionConfigOption,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import type { Doctor } from "./doctor.js";
import type { SessionServers } from "./session-servers.js";

const modes = [
  { id: "talk", name: "Talk", description: "Answers at once." },
  { id: "ask-first", name: "Ask first", description: "Asks for permission before every answer." },
] as const;

type ModeId = (typeof modes)[number]["id"];

/** Config option that mirrors the mode. ACP asks agents that offer both to keep both in sync. */
export const modeOptionId = "mode";

export function parseModeId(value: unknown): ModeId | undefined {
  return modes.find((mode) => mode.id === value)?.id;
}

export function modeState(current: ModeId): SessionModeState {
  return { currentModeId: current, availableModes: modes.map((mode) => ({ ...mode })) };
}

export function configOptions(current: ModeId): SessionConfigOption[] {
  const options = modes.map(({ id, name, description }) => ({ value: id, name, description }));
  return [{ id: modeOptionId, name: "Mode", category: "mode", type: "select", currentValue: current, options }];
}

/** Update that `session/load` replays; the user's content blocks are replayed unmodified. */
export type RecordedUpdate =
  | SessionUpdate
  | { readonly sessionUpdate: "user_message_chunk"; readonly content: Readonly<Record<string, unknown>> };

/** Maximum number of updates stored for `session/load`; the oldest are dropped. */
const historyLimit = 2_000;
const titleLength = 60;

/** Conversation that stays available for `session/load` after it is closed. */
export class ElizaSession {
  mode: ModeId = "talk";
  cwd = "";
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

  async close(): Promise<void> {
    this.cancelTurn();
    const { servers } = this;
    this.servers = undefined;
    await servers?.[Symbol.asyncDispose]();
  }
}
