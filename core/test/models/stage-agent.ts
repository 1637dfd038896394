import type { ProxyChain, ProxySession } from "../../src/conductor/chain/proxy.js";
import type { McpServer } from "../../src/base/mcp/mcp-server.js";
import { type BareAgent, ModelFailure, type OpenAgent } from "../../src/models/agent-connection.js";
import { asObject, Json } from "../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer, type Reply } from "../../src/base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../src/base/rpc/rpc-error.js";

type Members = Readonly<Record<string, unknown>>;

/** Permission options as agents offer them, in an order that nobody may rely on. */
const options = [
  { optionId: "always", kind: "allow_always" },
  { optionId: "no", kind: "reject_once" },
  { optionId: "once", kind: "allow_once" },
  { optionId: "never", kind: "reject_always" },
] as const;

/** A prompt as the agent got it, with what the agent can do about it. */
export class Prompted {
  constructor(
    readonly sessionId: string,
    readonly blocks: readonly Members[],
    readonly server: McpServer | undefined,
    private readonly client: Peer,
    private readonly reply: Reply,
  ) {}

  /** The texts of the prompt. */
  get text(): string {
    return this.blocks.map(({ text }) => String(text)).join("|");
  }

  update(update: Members): void {
    this.client.notify(Notification.of("session/update", { sessionId: this.sessionId, update }));
  }

  say(text: string): void {
    this.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  end(result: Members = { stopReason: "end_turn" }): void {
    this.reply(Outcome.of(result));
  }

  fail(message: string): void {
    this.reply(Outcome.error(RpcError.internal(message)));
  }

  /** Asks for permission; the outcome, as `selected once` or `cancelled`. */
  async permission(toolCall: Members): Promise<string> {
    const params = { sessionId: this.sessionId, toolCall: { toolCallId: "p1", ...toolCall }, options };
    const { json } = await ask(this.client, Request.of("session/request_permission", params));
    const outcome = asObject(json.object?.["outcome"]);
    const { outcome: kind, optionId } = outcome ?? {};
    return typeof optionId === "string" ? `${String(kind)} ${optionId}` : String(kind);
  }

  /** Calls a tool of the editor; the texts of its result, in JSON when the call failed. */
  async call(
    name: string,
    args: Members = {},
    notes: string[] = [],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<string> {
    const context = { signal, notify: (method: string) => void notes.push(method) };
    const outcome = await this.server?.call("tools/call", Json.of({ name, arguments: args }), context);
    const { content, isError } = outcome?.json.object ?? {};
    const texts = (Array.isArray(content) ? content : []).map((part: unknown) => {
      const { type, text } = asObject(part) ?? {};
      return typeof text === "string" ? text : `[${String(type)}]`;
    });
    return isError === true ? `failed: ${texts.join("|")}` : texts.join("|");
  }

  /** The editor's tools, as the agent sees them. */
  async tools(): Promise<readonly Members[]> {
    const context = { signal: new AbortController().signal, notify: () => undefined };
    const outcome = await this.server?.call("tools/list", undefined, context);
    const tools = outcome?.json.object?.["tools"];
    return Array.isArray(tools) ? (tools as Members[]) : [];
  }
}

/** An agent in this process that does what the test says. */
export class StageAgent {
  readonly prompts: Prompted[] = [];
  /** Other messages that the agent received: the method, and the session or the configuration. */
  readonly received: string[] = [];
  /** The parameters of the requests that opened sessions. */
  readonly setups: Members[] = [];
  readonly servers = new Map<string, McpServer | undefined>();
  capabilities: Members = { promptCapabilities: { image: true }, sessionCapabilities: { close: {} } };
  /** Beside the id, what opening a session gives. */
  sessionMembers: Members = {};
  name = "stage";
  version = "1.0";
  chains = 0;
  disposed = 0;
  /** How often it does not start, from now on. */
  failingStarts = 0;
  /** Ends the chain as a crash does. */
  crash: (message: string) => void = () => undefined;
  refusesForks = false;
  isSignedOut = false;
  /** Opens no session until {@link openLate} is called. */
  hangs = false;
  openLate: () => void = () => undefined;
  /** How it can be started without its own tools, and whether it fails when it is. */
  bare: BareAgent | undefined;
  failsBare = false;
  #sessions = 0;
  #onPrompt: () => void = () => undefined;

  readonly open: OpenAgent = (client, proxy, onFailure, isPlain) => {
    const bare = isPlain === true ? undefined : this.bare;
    this.chains++;
    if (this.failingStarts-- > 0) return Promise.reject(new ModelFailure("agent-failed", "It does not start."));
    const waiting = new Set<Reply>();
    this.crash = (message) => {
      for (const reply of waiting) reply(Outcome.error(RpcError.internal(message)));
      onFailure(message);
    };
    const handlers = proxy.connect({} as ProxyChain);
    const fromClient: Peer = {
      request: ({ method, params }, reply) => {
        const once: Reply = (outcome) => {
          if (waiting.delete(once)) reply(outcome);
        };
        waiting.add(once);
        if (bare && this.failsBare) {
          this.crash("It does not know the option.");
          return nothingToCancel;
        }
        const server = handlers.mcpServers?.({} as ProxySession)[0];
        this.#answer(method, params?.object ?? {}, once, client, server);
        return nothingToCancel;
      },
      notify: ({ method, params }) => void this.received.push(`${method} ${String(params?.object?.["sessionId"])}`),
    };
    return Promise.resolve({
      fromClient,
      bare,
      [Symbol.asyncDispose]: () => {
        this.disposed++;
        return Promise.resolve();
      },
    });
  };

  /** The next prompt that nobody has taken. */
  async prompt(): Promise<Prompted> {
    for (;;) {
      const next = this.prompts.shift();
      if (next) return next;
      await new Promise<void>((resolve) => (this.#onPrompt = resolve));
    }
  }

  #answer(method: string, params: Members, reply: Reply, client: Peer, server: McpServer | undefined): void {
    const sessionId = String(params["sessionId"]);
    switch (method) {
      case "initialize": {
        const agentInfo = { name: this.name, version: this.version };
        return reply(Outcome.of({ protocolVersion: 1, agentCapabilities: this.capabilities, agentInfo }));
      }
      case "session/new":
      case "session/fork": {
        if (this.isSignedOut) return reply(Outcome.error(new RpcError(rpcErrorCodes.authRequired, "No key")));
        if (method === "session/fork" && this.refusesForks) return reply(Outcome.error(RpcError.internal("No.")));
        if (this.hangs) {
          this.openLate = () => this.#answer(method, params, reply, client, server);
          return;
        }
        const id = `session-${++this.#sessions}`;
        if (method === "session/fork") this.received.push(`${method} ${sessionId} as ${id}`);
        this.servers.set(id, server);
        this.setups.push(params);
        return reply(Outcome.of({ sessionId: id, ...this.sessionMembers }));
      }
      case "session/prompt": {
        const blocks = Array.isArray(params["prompt"]) ? (params["prompt"] as Members[]) : [];
        this.prompts.push(new Prompted(sessionId, blocks, this.servers.get(sessionId), client, reply));
        return this.#onPrompt();
      }
      default:
        this.received.push(`${method} ${sessionId}${"value" in params ? ` ${String(params["value"])}` : ""}`);
        return reply(Outcome.of({}));
    }
  }
}
