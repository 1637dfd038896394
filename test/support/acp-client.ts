import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  client,
  McpOverAcpProvider,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeResponse,
  type McpRequestHandler,
  type McpServer,
  type NewSessionResponse,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { type JsonObject, parseObject } from "./json.js";
import { Child, type ChildOptions } from "./child.js";
import { allowOnce, answerPermission, type PermissionPolicy } from "./permission-policy.js";
import { scaledMs } from "./until.js";

interface AcpClientOptions extends ChildOptions {
  /** Defaults to allowing everything once. */
  readonly permissions?: PermissionPolicy;
  /** Further members of `clientCapabilities`. */
  readonly capabilities?: object;
  /** Answers the forms of agents; without it the client says that it shows none. */
  readonly answerForm?: (form: CreateElicitationRequest) => CreateElicitationResponse;
}

/** Gemini CLI alone does not end with its input. */
const leaveMs = 15_000;

/** An editor as tests need it: the ACP SDK's client over the stdio of a child, which remembers what it saw. */
export class AcpClient implements AsyncDisposable {
  /** Every session update, in order of arrival. */
  readonly updates: SessionUpdate[] = [];
  /** The sessions of these, in the same order. */
  readonly updatedSessions: string[] = [];
  readonly permissionRequests: RequestPermissionRequest[] = [];
  /** Paths of files that the agent read or wrote through the client, relative to the workspace. */
  readonly reads: string[] = [];
  readonly writes: string[] = [];
  readonly #child: Child;
  readonly #connection: ClientConnection;
  readonly #mcp = new McpOverAcpProvider();
  readonly #listeners = new Set<(update: SessionUpdate) => void>();

  /** Starts the command; `cwd` is also the workspace, and no file outside it is touched. */
  constructor(private readonly options: AcpClientOptions) {
    this.#child = new Child(options);
    const { stdin, stdout } = this.#child.process;
    this.#connection = this.#app().connect(ndJsonStream(Writable.toWeb(stdin), Readable.toWeb(stdout)));
    void this.#child.exited.then((sentence) => this.#connection.close(new Error(sentence)));
  }

  initialize(): Promise<InitializeResponse> {
    return this.#explained(
      this.#connection.agent.request(methods.agent.initialize, {
        protocolVersion: PROTOCOL_VERSION,
        clientCapabilities: {
          fs: { readTextFile: true, writeTextFile: true },
          ...this.options.capabilities,
          ...(this.options.answerForm && { elicitation: { form: {} } }),
        },
        clientInfo: { name: "symposium-test", version: "1.0.0" },
      }),
    );
  }

  async authenticate(methodId: string): Promise<void> {
    await this.#explained(this.#connection.agent.request(methods.agent.authenticate, { methodId }));
  }

  /** `members` are further ones of the request, such as `_meta`. */
  newSession(mcpServers: McpServer[] = [], members: object = {}): Promise<NewSessionResponse> {
    const request = { cwd: this.options.cwd, mcpServers, ...members };
    return this.#explained(this.#connection.agent.request(methods.agent.session.new, request));
  }

  async setMode(sessionId: string, modeId: string): Promise<void> {
    await this.#explained(this.#connection.agent.request(methods.agent.session.setMode, { sessionId, modeId }));
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    const prompt = [{ type: "text" as const, text }];
    return this.#explained(this.#connection.agent.request(methods.agent.session.prompt, { sessionId, prompt }));
  }

  /** Sends any request, such as an extension's. */
  async call(method: string, params: unknown): Promise<JsonObject> {
    return parseObject(JSON.stringify(await this.#explained(this.#connection.agent.request(method, params))));
  }

  cancel(sessionId: string): Promise<void> {
    return this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Resolves with the first update, past or future, that `matches`; rejects when the connection closes first. */
  update(matches: (update: SessionUpdate) => boolean): Promise<SessionUpdate> {
    const seen = this.updates.find(matches);
    if (seen) return Promise.resolve(seen);
    const found = new Promise<SessionUpdate>((resolve, reject) => {
      const listener = (update: SessionUpdate) => {
        if (!matches(update)) return;
        this.#listeners.delete(listener);
        resolve(update);
      };
      this.#listeners.add(listener);
      void this.#connection.closed.then(() => reject(new Error("The connection closed before the update came.")));
    });
    return this.#explained(found);
  }

  /** Everything the agent has said in this connection. */
  get agentText(): string {
    return this.updates
      .map((update) =>
        update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  }

  /** Offers an MCP server over ACP; the result goes into `newSession`. */
  offerMcpServer(name: string, handler: McpRequestHandler): McpServer {
    return this.#mcp.registerServer(this.#connection.agent, { name, handler }).declaration;
  }

  /** Forgets what it saw, so that the next story of the same process begins with nothing. */
  forget(): void {
    for (const seen of [this.updates, this.updatedSessions, this.permissionRequests, this.reads, this.writes])
      seen.length = 0;
  }

  /** As an editor does that is closed: the agent sees the end of its input, and has some time for what it still writes. */
  async leave(): Promise<void> {
    this.#child.process.stdin.end();
    await Promise.race([this.#child.exited, new Promise((resolve) => setTimeout(resolve, scaledMs(leaveMs)).unref())]);
    await this[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    this.#connection.close();
  }

  #app() {
    return client({ name: "symposium-test" })
      .onNotification(methods.client.session.update, ({ params }) => this.#record(params))
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.permissionRequests.push(params);
        return answerPermission(params, this.options.permissions ?? allowOnce);
      })
      .onRequest(methods.client.fs.readTextFile, async ({ params }) => {
        const path = this.#inWorkspace(params.path, this.reads);
        // Gemini CLI reads a file before it creates it, and takes an error object for a failure of the tool.
        return { content: await readFile(path, "utf8").catch(() => "") };
      })
      .onRequest(methods.client.fs.writeTextFile, async ({ params }) => {
        const path = this.#inWorkspace(params.path, this.writes);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, params.content);
        return {};
      })
      .onRequest(methods.client.elicitation.create, ({ params }) => {
        const { answerForm } = this.options;
        if (!answerForm) throw RequestError.methodNotFound("elicitation/create");
        return answerForm(params);
      })
      .onRequest(methods.client.mcp.message, (context) => this.#mcp.handleRequest(context));
  }

  #record({ sessionId, update }: SessionNotification): void {
    this.updates.push(update);
    this.updatedSessions.push(sessionId);
    for (const listener of this.#listeners) listener(update);
  }

  #inWorkspace(path: string, record: string[]): string {
    const inside = relative(this.options.cwd, resolve(this.options.cwd, path));
    if (inside.startsWith("..")) throw RequestError.invalidParams({ path }, `${path} is outside the workspace.`);
    record.push(inside);
    return resolve(this.options.cwd, inside);
  }

  /** A failure of `answer` with the end of the child's stderr, without which nobody can tell what happened. */
  async #explained<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (failure) {
      const reason = failure instanceof Error ? failure.message : JSON.stringify(failure);
      const data =
        failure instanceof RequestError && failure.data !== undefined ? ` ${JSON.stringify(failure.data)}` : "";
      const stderr = this.#child.stderrTail;
      throw new Error(`${reason}${data}${stderr && `\nIts stderr ends with:\n${stderr}`}`, { cause: failure });
    }
  }
}
