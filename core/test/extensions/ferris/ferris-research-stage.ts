import { Logger } from "../../../src/base/logger.js";
import { InProcessProxy } from "../../../src/conductor/chain/in-process-proxy.js";
import { McpServerTable, readDeclaration } from "../../../src/base/mcp/server-table.js";
import type { ToolContext } from "../../../src/base/mcp/tool-server.js";
import { ferrisProxy } from "../../../src/extensions/ferris/ferris-proxy.js";
import type { FerrisServices } from "../../../src/extensions/ferris/services.js";
import { Json } from "../../../src/base/rpc/json.js";
import { elementsOf, memberOf } from "../../../src/base/rpc/json-edit.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer, type Reply } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../testing/index.js";

export const sources: Readonly<Record<string, string>> = { "src/lib.rs": "pub fn answer() -> u8 {\n    42\n}\n" };

/** A machine with one workspace at `/ws` that locks the crate `deep` 1.2.3, whose sources are in `/store/deep`. */
const memoryServices: FerrisServices = {
  hasWorkspace: () => true,
  cargo: () =>
    Promise.resolve({
      kind: "exited",
      exitCode: 0,
      stderr: "",
      stdout: JSON.stringify({
        workspace_root: "/ws",
        workspace_members: ["ws"],
        packages: [
          {
            id: "deep",
            name: "deep",
            version: "1.2.3",
            source: "registry+https://github.com/rust-lang/crates.io-index",
            manifest_path: "/store/deep/Cargo.toml",
            targets: [{ kind: ["lib"], src_path: "/store/deep/src/lib.rs" }],
          },
        ],
        resolve: { nodes: [{ id: "ws", deps: [{ name: "deep", pkg: "deep" }] }] },
      }),
    }),
  scratchPackage: () => Promise.reject(new Error("not here")),
  folderOf: (path) => path.slice(0, path.lastIndexOf("/")),
  openFolder: (path) => ({
    path,
    paths: () => Promise.resolve(Object.keys(sources)),
    read: (name) => Promise.resolve(sources[name]),
    relativeTo: (other) => {
      const whole = other.startsWith("/") ? other : `${path}/${other}`;
      return Promise.resolve(
        whole.startsWith(`${path}/`) && !whole.includes("..") ? whole.slice(path.length + 1) : undefined,
      );
    },
  }),
  fileStamp: () => Promise.resolve("1"),
  join: (folder, name) => `${folder}/${name}`,
};

/** Agent's reaction to a prompt. The turn ends when the promise resolves. */
export type Turn = (turn: AgentTurn) => Promise<unknown>;

interface AgentTurn {
  readonly sessionId: string;
  readonly text: string;
  /** Aborted by `session/cancel`. */
  readonly signal: ToolContext["signal"];
  update(update: Readonly<Record<string, unknown>>): void;
  /** Asks the side toward the editor. */
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<Json>;
  /** Calls a tool of the session's MCP server. */
  tool(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A chain of client, Ferris and an agent that does `turn` with every prompt. */
export class ResearchStage {
  readonly client = new RecordingPeer({ "fs/read_text_file": { content: "of the editor" } });
  /** Methods and parameters that the agent received. */
  readonly got: [method: string, params: Readonly<Record<string, unknown>>][] = [];
  readonly progress: unknown[] = [];
  readonly #servers = new McpServerTable();
  readonly #declared = new Map<string, string>();
  readonly #cancels = new Map<string, AbortController>();
  readonly proxy: InProcessProxy;
  /** Session capabilities that the agent announces. */
  sessionCapabilities: Readonly<Record<string, unknown>> = { close: {} };
  /** With it the agent answers every `session/new`. */
  refusal: string | undefined;
  #sessions = 0;

  constructor(
    private readonly turn: Turn,
    options: unknown = {},
    private readonly onOpening: (sessionId: string, toClient: Peer) => void = () => undefined,
  ) {
    const successor: Peer = {
      request: (request, reply) => (this.#request(request, reply), nothingToCancel),
      notify: (notification) => this.#notify(notification),
    };
    const neighbours = { client: this.client, successor };
    this.proxy = new InProcessProxy(ferrisProxy(options, memoryServices), neighbours, Logger.silent, this.#servers);
  }

  /** Initializes, opens the user's session and returns its id. */
  async open(): Promise<string> {
    await ask(this.proxy.fromClient, Request.of("initialize", { protocolVersion: 1 }));
    const outcome = await ask(this.proxy.fromClient, Request.of("session/new", { cwd: "/ws", mcpServers: [] }));
    return String(outcome.json.object?.["sessionId"]);
  }

  /** Calls a tool of a session as its agent would. */
  async call(
    sessionId: string,
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: ToolContext["signal"] = new AbortController().signal,
  ): Promise<string> {
    const place = this.#servers.find(this.#declared.get(sessionId) ?? "");
    if (place?.kind !== "here") throw new Error(`session ${sessionId} has no server`);
    const params = Json.of({ name, arguments: args, _meta: { progressToken: 1 } });
    const notify = (_method: string, note: Json | undefined): void =>
      void this.progress.push(note?.object?.["message"]);
    const outcome = await place.server.call("tools/call", params, { signal, notify });
    const content = outcome.json.object?.["content"];
    return Array.isArray(content) ? String(Json.of(content[0]).object?.["text"]) : outcome.json.text;
  }

  /** Resolves once the agent got all of these; the test's time-out is the bound. */
  async hasGot(...methods: readonly string[]): Promise<void> {
    while (!methods.every((method) => this.count(method) > 0)) await new Promise((resolve) => setImmediate(resolve));
  }

  /** How often the agent got a method. */
  count(method: string): number {
    return this.got.filter(([name]) => name === method).length;
  }

  #request(request: Request, reply: Reply): void {
    const params = request.params?.object ?? {};
    this.got.push([request.method, params]);
    if (request.method === "initialize") {
      reply(Outcome.of({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: this.sessionCapabilities } }));
    } else if (request.method === "session/new") this.#open(request, reply);
    else if (request.method === "session/prompt") void this.#prompt(params, reply);
    else reply(Outcome.of({}));
  }

  #open(request: Request, reply: Reply): void {
    if (this.refusal !== undefined) {
      reply(Outcome.error(RpcError.internal(this.refusal)));
      return;
    }
    const sessionId = `session-${++this.#sessions}`;
    const servers = request.params && memberOf(request.params, "mcpServers");
    for (const entry of (servers && elementsOf(servers)) ?? []) {
      this.#declared.set(sessionId, readDeclaration(entry).reference ?? "");
    }
    this.onOpening(sessionId, this.proxy.fromSuccessor);
    reply(Outcome.of({ sessionId }));
  }

  async #prompt(params: Readonly<Record<string, unknown>>, reply: Reply): Promise<void> {
    const sessionId = String(params["sessionId"]);
    const abort = new AbortController();
    this.#cancels.set(sessionId, abort);
    const blocks = Array.isArray(params["prompt"]) ? params["prompt"] : [];
    const toClient = this.proxy.fromSuccessor;
    await this.turn({
      sessionId,
      text: String(Json.of(blocks[0]).object?.["text"]),
      signal: abort.signal,
      update: (update) => toClient.notify(updateOf(sessionId, update)),
      ask: async (method, more) => (await ask(toClient, Request.of(method, { sessionId, ...more }))).json,
      tool: (name, args) => this.call(sessionId, name, args),
    });
    reply(Outcome.of({ stopReason: abort.signal.aborted ? "cancelled" : "end_turn" }));
  }

  #notify(notification: Notification): void {
    const params = notification.params?.object ?? {};
    this.got.push([notification.method, params]);
    if (notification.method === "session/cancel") this.#cancels.get(String(params["sessionId"]))?.abort();
  }
}

export function updateOf(sessionId: string, update: Readonly<Record<string, unknown>>): Notification {
  return Notification.of("session/update", { sessionId, update });
}
