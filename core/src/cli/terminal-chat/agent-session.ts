import { acpMethods } from "../../acp/methods.js";
import { Notification, type Outcome, Request } from "../../rpc/message.js";
import { ask, type Peer } from "../../rpc/peer.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import { type Members, objectMember, objectsMember, textMember } from "./members.js";

/** The version of ACP that the chat speaks. */
const protocolVersion = 1;

/** Why a request of ours failed. */
export interface AgentFailure {
  readonly code: number;
  readonly message: string;
  readonly data: Members | undefined;
}

/** A result, or the failure in its place. */
export type Answer = { readonly result: Members; readonly failure?: never } | { readonly failure: AgentFailure };

export interface AgentSessionOptions {
  readonly agent: Peer;
  readonly cwd: string;
  /** The product's version, for `clientInfo`. */
  readonly version: string;
}

/** One session with an agent, in ACP v1. Expected failures are values. */
export class AgentSession {
  #waiting = 0;
  #id = "";
  #title = "the agent";
  #authMethods: readonly Members[] = [];

  constructor(private readonly options: AgentSessionOptions) {}

  /** Whether an answer of the agent is still to come, or to be read. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  get id(): string {
    return this.#id;
  }

  /** Name and version of the agent, as it says them. */
  get title(): string {
    return this.#title;
  }

  /** `authMethods` of the agent. */
  get authMethods(): readonly Members[] {
    return this.#authMethods;
  }

  async initialize(): Promise<Answer> {
    const answer = await this.#ask(acpMethods.initialize, {
      protocolVersion,
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: false,
        auth: { terminal: false },
      },
      clientInfo: { name: "symposium-chat", title: "Symposium chat", version: this.options.version },
    });
    if (answer.failure) return answer;
    const { result } = answer;
    if (result["protocolVersion"] !== protocolVersion) return unsupportedVersion(result["protocolVersion"]);
    const info = objectMember(result, "agentInfo");
    const name = textMember(info, "title") ?? textMember(info, "name") ?? "the agent";
    this.#title = [name, textMember(info, "version")].filter((part) => part !== undefined).join(" ");
    this.#authMethods = objectsMember(result, "authMethods");
    return answer;
  }

  /** Opens the session in the folder. */
  async open(): Promise<Answer> {
    const answer = await this.#ask(acpMethods.sessionNew, { cwd: this.options.cwd, mcpServers: [] });
    if (answer.failure) {
      const { code, data } = answer.failure;
      if (code === rpcErrorCodes.authRequired && this.#authMethods.length === 0) {
        this.#authMethods = objectsMember(data, "authMethods");
      }
      return answer;
    }
    const sessionId = textMember(answer.result, "sessionId");
    if (sessionId === undefined) return failed("The agent opened a session without an id.");
    this.#id = sessionId;
    return answer;
  }

  authenticate(methodId: string): Promise<Answer> {
    return this.#ask(acpMethods.authenticate, { methodId });
  }

  /** One prompt turn; the result carries its stop reason. */
  async prompt(text: string): Promise<Answer> {
    const answer = await this.#ask(acpMethods.sessionPrompt, { sessionId: this.#id, prompt: [{ type: "text", text }] });
    if (answer.failure || textMember(answer.result, "stopReason") !== undefined) return answer;
    return failed("The agent ended the turn without a stop reason.");
  }

  /** Asks the agent to end the open turn; its stop reason still comes. */
  cancel(): void {
    this.options.agent.notify(Notification.of(acpMethods.sessionCancel, { sessionId: this.#id }));
  }

  async #ask(method: string, params: Members): Promise<Answer> {
    this.#waiting++;
    const outcome = await ask(this.options.agent, Request.of(method, params));
    this.#waiting--;
    return toAnswer(outcome);
  }
}

function toAnswer(outcome: Outcome): Answer {
  const object = outcome.json.object ?? {};
  if (!outcome.isError) return { result: object };
  const code = typeof object["code"] === "number" ? object["code"] : rpcErrorCodes.internalError;
  const message = textMember(object, "message") ?? "The agent answered with an error.";
  return { failure: { code, message, data: objectMember(object, "data") } };
}

function unsupportedVersion(version: unknown): Answer {
  return failed(`The agent speaks ACP version ${JSON.stringify(version)}; the chat speaks version ${protocolVersion}.`);
}

function failed(message: string): Answer {
  return { failure: { code: rpcErrorCodes.internalError, message, data: undefined } };
}
