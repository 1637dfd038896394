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

/** The config option that is the mode in another form, as ACP asks of agents that offer both. */
export const modeOptionId = "mode";

/** The mode of that id, if there is one. */
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

/** An update as `session/load` repeats it; what the user sent is repeated as it came. */
export type RecordedUpdate =
  | SessionUpdate
  | { readonly sessionUpdate: "user_message_chunk"; readonly content: Readonly<Record<string, unknown>> };

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
