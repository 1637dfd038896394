import { setImmediate } from "node:timers/promises";
import { ElizaAgent } from "../../src/agents/eliza/eliza-agent.js";
import type { ConnectedAgent } from "../../src/conductor/chain/component.js";
import type { ConnectMcp, McpConnection } from "../../src/base/mcp/mcp-client-contract.js";
import { InProcessClient } from "../../src/base/mcp/in-process-client.js";
import { ToolServer } from "../../src/base/mcp/tool-server.js";
import { type Notification, Request } from "../../src/base/rpc/message.js";
import { ask } from "../../src/base/rpc/peer.js";
import type { RecordingPeer } from "../../testing/recording-peer.js";
import { scriptedClient, type ScriptedClientOptions } from "../../testing/scripted-client.js";

/** An MCP server with a tool that echoes, one that fails, and one that only ends when it is cancelled. */
export function kitServer(): ToolServer {
  return new ToolServer({
    name: "kit",
    version: "1",
    tools: [
      {
        name: "echo",
        description: "Says it back.",
        inputSchema: { properties: { text: { type: "string" } }, required: ["text"] },
        call: (args) => Promise.resolve(`you said ${String(args["text"])}`),
      },
      {
        name: "fail",
        description: "Fails.",
        inputSchema: {},
        call: () => Promise.reject(new Error("The disk is full.")),
      },
      {
        name: "wait",
        description: "Waits for its cancellation.",
        inputSchema: {},
        call: (_args, { signal }) => {
          return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped"), { once: true }));
        },
      },
    ],
  });
}

/** Event of a {@link kitConnections} connection. */
export type ConnectionEvent = "connect" | "close";

/** Connects to {@link kitServer} for the name `kit`; other names cannot be reached. */
export function kitConnections(events: ConnectionEvent[] = []): ConnectMcp {
  return (entry) => {
    if (entry.name !== "kit") return Promise.reject(new Error(`${entry.name} is out of reach.`));
    events.push("connect");
    const connection = new InProcessClient(kitServer());
    return Promise.resolve<McpConnection>({
      listTools: (signal) => connection.listTools(signal),
      callTool: (name, args, signal) => connection.callTool(name, args, signal),
      [Symbol.asyncDispose]: () => {
        events.push("close");
        return Promise.resolve();
      },
    });
  };
}

export const kitEntry = { name: "kit", command: "kit", args: [], env: [] };

interface Answer {
  readonly isError: boolean;
  readonly value: unknown;
}

/** A deterministic Eliza with a client, both in this process. */
export class ElizaFixture implements AsyncDisposable {
  readonly client: RecordingPeer;
  readonly #agent: ConnectedAgent;

  constructor(connectMcp: ConnectMcp = kitConnections(), client: ScriptedClientOptions = {}) {
    this.client = scriptedClient(client);
    const yieldNow = (): Promise<void> => setImmediate();
    const agent = new ElizaAgent({ version: "1.2.3", isDeterministic: true, connectMcp, yieldNow });
    this.#agent = agent.connect(this.client);
  }

  async ask(method: string, params: unknown, signal?: AbortSignal): Promise<Answer> {
    const outcome = await ask(this.#agent.fromClient, Request.of(method, params), signal);
    return { isError: outcome.isError, value: JSON.parse(outcome.json.text) };
  }

  notify(notification: Notification): void {
    this.#agent.fromClient.notify(notification);
  }

  /** Opens a session and forgets what it told the client so far. */
  async newSession(...mcpServers: unknown[]): Promise<string> {
    const { value } = await this.ask("session/new", { cwd: "/w", mcpServers });
    this.client.received.length = 0;
    return (value as { sessionId: string }).sessionId;
  }

  prompt(sessionId: string, ...blocks: unknown[]): Promise<Answer> {
    const prompt = blocks.map((block) => (typeof block === "string" ? { type: "text", text: block } : block));
    return this.ask("session/prompt", { sessionId, prompt });
  }

  /** Sends a prompt and returns Eliza's text. */
  async reply(sessionId: string, ...blocks: unknown[]): Promise<string> {
    this.client.received.length = 0;
    await this.prompt(sessionId, ...blocks);
    return this.client.text;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent[Symbol.asyncDispose]?.();
  }
}
