import { type Members, stringOf } from "../../base/rpc/json.js";
import type {
  ContentBlock,
  NewSessionResponse,
  PromptResponse,
  SetSessionConfigOptionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { acpMethods } from "../../base/acp/methods.js";
import { isDoneWithin } from "../../base/until-aborted.js";
import { AgentRefusal } from "./agent-errors.js";
import type { InitializedAgent } from "./initialized-agent.js";
import type { Unchecked } from "./unchecked.js";

export interface SessionListener {
  /** Called with each `session/update` in the order received, including unknown kinds and members. */
  update(update: Unchecked<SessionUpdate>): void;
  /** Called with updates of a sub-agent's session that `subagent_update` announced. Default: {@link update}. */
  childUpdate?(childId: string, update: Unchecked<SessionUpdate>): void;
  /** Called when the session is forgotten, by its owner or because the agent is gone. */
  ended?(): void;
}

export interface SessionSetup {
  readonly cwd: string;
  /** Additional folders of the session; sent only if the agent supports them. */
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly unknown[];
  readonly members?: Members;
}

export interface SessionClient {
  readonly initialized: InitializedAgent;
  call(method: typeof acpMethods.sessionPrompt, params: object): Promise<Unchecked<PromptResponse>>;
  call(method: typeof acpMethods.setConfigOption, params: object): Promise<Unchecked<SetSessionConfigOptionResponse>>;
  call(method: string, params: object): Promise<Members>;
  notify(method: string, params: object): void;
  /** Aborts the session's requests that wait for the user's answer. `sessionId` may be the id of a sub-agent's session. */
  giveUpQuestions(sessionId: string): void;
  forget(sessionId: string): void;
}

export class AgentSession<L extends SessionListener = SessionListener> {
  readonly #turns = new Set<PromptTurn>();

  constructor(
    private readonly client: SessionClient,
    readonly id: string,
    readonly listener: L,
    readonly opened: Unchecked<NewSessionResponse> & Members,
  ) {}

  get isTurnOpen(): boolean {
    return this.#turns.size > 0;
  }

  prompt(prompt: readonly (ContentBlock | Members)[], members: Members = {}): PromptTurn {
    return this.follow(this.client.call(acpMethods.sessionPrompt, { sessionId: this.id, prompt, ...members }));
  }

  /** Tracks a turn that another client has already started with the agent; `result` resolves when the turn ends. */
  follow(result: Promise<Unchecked<PromptResponse>>): PromptTurn {
    const turn = new PromptTurn(result, () => {
      this.client.giveUpQuestions(this.id);
      this.client.notify(acpMethods.sessionCancel, { sessionId: this.id });
    });
    this.#turns.add(turn);
    const ended = (): void => void this.#turns.delete(turn);
    result.then(ended, ended);
    return turn;
  }

  /**
   * Sends text into the running turn. Resolves with false if the text needs its own prompt, because no turn or several turns are open.
   * Rejects with {@link AgentRefusal} if the agent refuses.
   */
  async steer(prompt: readonly (ContentBlock | Members)[]): Promise<boolean> {
    if (this.#turns.size !== 1) return false;
    // Without this option, the agent may start a turn without a request, and the client can't detect the end of such a turn.
    const _meta = { steering: { idleBehavior: "promptRequired" } };
    const result = await this.client.call(acpMethods.sessionSteering, { sessionId: this.id, prompt, _meta });
    const outcome = stringOf(result["outcome"]);
    if (outcome === "failed") throw new AgentRefusal({ message: stringOf(result["reason"]) ?? "No reason given." });
    return outcome !== "promptRequired";
  }

  setModel(modelId: string): Promise<Members> {
    return this.client.call(acpMethods.setModel, { sessionId: this.id, modelId });
  }

  /** Sets a config option. `isBoolean` marks an on/off option, since the request must state the option's type. */
  setConfigOption(
    configId: string,
    value: string | boolean,
    isBoolean = typeof value === "boolean",
  ): Promise<Unchecked<SetSessionConfigOptionResponse>> {
    const type = isBoolean ? { type: "boolean" } : {};
    return this.client.call(acpMethods.setConfigOption, { sessionId: this.id, configId, ...type, value });
  }

  /** Ignores further messages of the session and aborts the agent's requests in it. Sends nothing to the agent. */
  forget(): void {
    this.client.forget(this.id);
  }

  /** Stops one sub-agent; its parent continues. */
  cancelChild(id: string): void {
    this.client.giveUpQuestions(id);
    this.client.notify(acpMethods.sessionCancel, { sessionId: id });
  }

  /**
   * Forgets the session and closes it if the agent supports closing. Waits at most `limitMs`. Never rejects. `members` are added to the
   * request.
   */
  async close(limitMs: number, members: Members = {}): Promise<void> {
    this.forget();
    if (!this.client.initialized.canClose) return;
    await isDoneWithin(this.client.call(acpMethods.sessionClose, { sessionId: this.id, ...members }), limitMs);
  }
}

export class PromptTurn {
  #isCancelled = false;

  constructor(
    /** Resolves with the prompt's result. Rejects with `AgentRefusal`, which some agents also send for a cancelled turn. */
    readonly result: Promise<Unchecked<PromptResponse>>,
    private readonly sendCancel: () => void,
  ) {
    result.catch(() => undefined);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /**
   * Asks the agent to stop the turn and aborts its questions to the user. Resolves with whether the turn ended within `graceMs`. Sends the
   * cancellation only once.
   */
  cancel(graceMs: number): Promise<boolean> {
    if (!this.#isCancelled) {
      this.#isCancelled = true;
      this.sendCancel();
    }
    return isDoneWithin(this.result, graceMs);
  }
}
