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

/** Hears of what happens in one session. */
export interface SessionListener {
  /** One `session/update`, in the order of the wire. Kinds and members that nobody knows are in it, too. */
  update(update: Unchecked<SessionUpdate>): void;
  /** The same in the session of a sub-agent that `subagent_update` has announced; {@link update} gets it where this is missing. */
  childUpdate?(childId: string, update: Unchecked<SessionUpdate>): void;
  /** The session is forgotten: its owner has done that, or the agent is gone. */
  ended?(): void;
}

/** Where a session works, and what it begins with. */
export interface SessionSetup {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  /** More folders; sent where the agent takes them. */
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly unknown[];
  /** Further members of the request, such as `_meta`. */
  readonly members?: Members;
}

/** What a session needs of the client that it belongs to. */
export interface SessionClient {
  readonly initialized: InitializedAgent;
  call(method: typeof acpMethods.sessionPrompt, params: object): Promise<Unchecked<PromptResponse>>;
  call(method: typeof acpMethods.setConfigOption, params: object): Promise<Unchecked<SetSessionConfigOptionResponse>>;
  call(method: string, params: object): Promise<Members>;
  notify(method: string, params: object): void;
  /** Gives up the requests of a session, or of a sub-agent in its own, that wait for the user. */
  giveUpQuestions(sessionId: string): void;
  forget(sessionId: string): void;
}

/** An open session of an agent's client. */
export class AgentSession<L extends SessionListener = SessionListener> {
  readonly #turns = new Set<PromptTurn>();

  constructor(
    private readonly client: SessionClient,
    readonly id: string,
    readonly listener: L,
    /** The answer to the request that opened it: modes, models, options. */
    readonly opened: Unchecked<NewSessionResponse> & Members,
  ) {}

  /** Whether a prompt waits for its answer. */
  get isTurnOpen(): boolean {
    return this.#turns.size > 0;
  }

  /** Sends a prompt; `members` are further ones of the request, such as `_meta`. */
  prompt(prompt: readonly (ContentBlock | Members)[], members: Members = {}): PromptTurn {
    const params = { sessionId: this.id, prompt, ...members };
    const result = this.client.call(acpMethods.sessionPrompt, params);
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
   * Says something into the running turn, whose prompt stays open. Resolves with false where it belongs into a prompt of its
   * own: no turn runs any more, or several prompts are open, one of which would never be answered. The agent does not
   * repeat what was said. Rejects with {@link AgentRefusal} where it does not take it.
   */
  async steer(prompt: readonly (ContentBlock | Members)[]): Promise<boolean> {
    if (this.#turns.size !== 1) return false;
    // Without this the agent may begin a turn that no request owns, and whose end nobody hears of.
    const _meta = { steering: { idleBehavior: "promptRequired" } };
    const result = await this.client.call(acpMethods.sessionSteering, { sessionId: this.id, prompt, _meta });
    const outcome = stringOf(result["outcome"]);
    if (outcome === "failed") throw new AgentRefusal({ message: stringOf(result["reason"]) ?? "It gave no reason." });
    return outcome !== "promptRequired";
  }

  setModel(modelId: string): Promise<Members> {
    return this.client.call(acpMethods.setModel, { sessionId: this.id, modelId });
  }

  /** `isBoolean`: the option is one that is on or off, which the request has to say. */
  setConfigOption(
    configId: string,
    value: string | boolean,
    isBoolean = typeof value === "boolean",
  ): Promise<Unchecked<SetSessionConfigOptionResponse>> {
    const type = isBoolean ? { type: "boolean" } : {};
    return this.client.call(acpMethods.setConfigOption, { sessionId: this.id, configId, ...type, value });
  }

  /** Its messages concern nobody any more; what the agent asks in it is given up. The agent hears nothing of that. */
  forget(): void {
    this.client.forget(this.id);
  }

  /** Has one sub-agent stop; its parent goes on. */
  cancelChild(id: string): void {
    this.client.giveUpQuestions(id);
    this.client.notify(acpMethods.sessionCancel, { sessionId: id });
  }

  /** Forgets the session and closes it where the agent can, waiting for that at most so long. Never rejects. */
  async close(limitMs: number): Promise<void> {
    this.forget();
    if (!this.client.initialized.canClose) return;
    await isDoneWithin(this.client.call(acpMethods.sessionClose, { sessionId: this.id }), limitMs);
  }
}

/** One prompt, from when it is sent until it is answered. */
export class PromptTurn {
  #isCancelled = false;

  constructor(
    /** The answer, with its stop reason. Rejects with the agent's `AgentRefusal`, which may be how it ends a cancelled turn. */
    readonly result: Promise<Unchecked<PromptResponse>>,
    private readonly sendCancel: () => void,
  ) {
    result.catch(() => undefined);
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /**
   * Asks the agent to stop, and gives up what it asks the user; the turn still ends by its answer. Resolves with whether
   * that came within `graceMs`. Sent once, however often it is called.
   */
  cancel(graceMs: number): Promise<boolean> {
    if (!this.#isCancelled) {
      this.#isCancelled = true;
      this.sendCancel();
    }
    return isDoneWithin(this.result, graceMs);
  }
}
