import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { Connection, Json, Notification, Outcome, type Peer, Request, RpcError } from "@symposium-dev/core";
import { Child, type Outcome as RunOutcome, runToEnd } from "./child.js";
import { arrayOf, type JsonObject, objectOf, stringOf } from "./json.js";
import { ZedProject } from "./zed-project.js";
import { ZedTerminals } from "./zed-terminals.js";
import { selectorsOf, ZedThread } from "./zed-thread.js";

/** An entry of `agent_servers` in Zed's settings. */
export interface ZedAgentServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Applied to every new thread where the agent offers the value. */
  readonly default_config_options?: Readonly<Record<string, string | boolean>>;
}

export interface ZedOptions {
  readonly server: ZedAgentServer;
  /** The project: the agent's working folder too. */
  readonly project: string;
  /** The shell's environment in the project. */
  readonly env: Readonly<Record<string, string>>;
  /** Context servers that are switched on. Zed sends all of them, whatever the agent can take. */
  readonly contextServers?: readonly unknown[];
}

const signInLimitMs = 120_000;

/** Parameters that Zed 1.11 sends with `initialize`, verbatim. */
const initializeParams = {
  protocolVersion: 1,
  clientCapabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    auth: { terminal: true },
    session: { configOptions: { boolean: {} } },
    elicitation: { form: {}, url: {} },
    _meta: { terminal_output: true, "terminal-auth": true },
  },
  clientInfo: { name: "zed", title: "stable", version: "1.11.0" },
};

/**
 * Zed as agents see it: one process for all threads of a project, no shutdown request, strict about paths, terminals and slash commands.
 * `faults` lists the agent's violations.
 */
export class ZedClient implements AsyncDisposable {
  readonly project: ZedProject;
  readonly threads = new Map<string, ZedThread>();
  readonly permissionRequests: JsonObject[] = [];
  readonly faults: string[] = [];
  /** Options of new threads: the settings' defaults, and later choices. Zed writes each choice to the settings. */
  readonly #defaults: Map<string, string | boolean>;
  #authMethods: readonly JsonObject[] = [];
  #capabilities: JsonObject = {};
  readonly #child: Child;
  readonly #connection: Connection;
  readonly #terminals: ZedTerminals;

  constructor(private readonly options: ZedOptions) {
    const { server, project, env } = options;
    this.project = new ZedProject(project);
    this.#defaults = new Map(Object.entries(server.default_config_options ?? {}));
    this.#terminals = new ZedTerminals(project, env);
    const words = [server.command, ...server.args];
    this.#child = new Child({ words, cwd: project, env: { ...env, ...server.env } });
    const inbound: Peer = {
      request: (request, reply) => {
        this.#answer(request.method, objectOf(request.params?.value)).then(
          (result) => reply(Outcome.of(result)),
          (failure: unknown) => reply(Outcome.error(errorOf(failure))),
        );
        return () => undefined;
      },
      notify: ({ method, params }) => this.#notice(method, objectOf(params?.value)),
    };
    const { stdin, stdout } = this.#child.process;
    this.#connection = new Connection({
      send: (line) => void stdin.write(`${line}\n`),
      inbound,
      answersGarbage: false,
      onSkipped: (reason) => this.faults.push(reason),
    });
    let rest = "";
    stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#connection.receive(line);
    });
    void this.#child.exited.then((sentence) => {
      this.#connection.close(Outcome.error(RpcError.internal(`${sentence}: ${this.#child.stderrTail}`)));
    });
  }

  /** The id of the agent's process. */
  get pid(): number {
    return this.#child.process.pid ?? 0;
  }

  /** `initialize`; the names of the methods that the sign-in view would offer. */
  async connect(): Promise<readonly string[]> {
    const { protocolVersion, authMethods, agentCapabilities } = await this.#request("initialize", initializeParams);
    this.#capabilities = objectOf(agentCapabilities);
    if (protocolVersion !== 1) throw new Error(`Zed speaks no version ${JSON.stringify(protocolVersion)}.`);
    this.#authMethods = arrayOf(authMethods).map(objectOf);
    return this.#authMethods.map(({ name }) => stringOf(name));
  }

  /** The user picks a method in the sign-in view. */
  async signIn(methodId: string): Promise<void> {
    await this.#request("authenticate", { methodId });
  }

  /**
   * The user picks a sign-in that runs in a terminal. Zed appends its arguments to those of the agent, or runs the command
   * that the method carries as a whole, which older versions know alone.
   */
  async signInInTerminal(methodId: string, form: "appended" | "whole"): Promise<RunOutcome> {
    const method: JsonObject = this.#authMethods.find(({ id, type }) => id === methodId && type === "terminal") ?? {};
    const whole = objectOf(objectOf(method["_meta"])["terminal-auth"]);
    const { server, project, env } = this.options;
    const { args, env: added } = form === "whole" ? whole : method;
    const base = form === "whole" ? [stringOf(whole["command"])] : [server.command, ...server.args];
    const variables = Object.entries(objectOf(added)).map(([name, value]) => [name, stringOf(value)] as const);
    const words = [...base, ...arrayOf(args).map(stringOf)];
    return runToEnd(
      { words, env: { ...env, ...server.env, ...Object.fromEntries(variables) }, cwd: project },
      signInLimitMs,
    );
  }

  /** Opens a thread, with all context servers, and applies the defaults of the settings: all at once, and unasked. */
  async openThread(): Promise<ZedThread> {
    const { project, contextServers = [] } = this.options;
    const opened = await this.#request("session/new", { cwd: project, mcpServers: contextServers }, (result) => {
      const thread = new ZedThread(stringOf(result["sessionId"]), result);
      this.threads.set(thread.sessionId, thread);
    });
    const thread = this.threads.get(stringOf(opened["sessionId"]));
    if (!thread) throw new Error("The thread is gone.");
    const offered = thread.selectors.filter(({ id, values }) => {
      const value = this.#defaults.get(id);
      return typeof value === "boolean" ? values.length === 0 : value !== undefined && values.includes(value);
    });
    await Promise.all(offered.map(({ id }) => this.choose(thread, id, this.#defaults.get(id) ?? "")));
    return thread;
  }

  /** The threads of the project as its history shows them: titles by id. Zed asks only agents that can. */
  async listThreads(): Promise<ReadonlyMap<string, string>> {
    this.#mustHave("list");
    const { sessions } = await this.#request("session/list", { cwd: this.options.project });
    return new Map(
      arrayOf(sessions)
        .map(objectOf)
        .map(({ sessionId, title }) => [stringOf(sessionId), stringOf(title)]),
    );
  }

  /** The user deletes a thread of the history. */
  async deleteThread(sessionId: string): Promise<void> {
    this.#mustHave("delete");
    await this.#request("session/delete", { sessionId });
    this.threads.delete(sessionId);
  }

  #mustHave(ability: string): void {
    if (ability in objectOf(this.#capabilities["sessionCapabilities"])) return;
    throw new Error(`The agent cannot ${ability} sessions: ${JSON.stringify(this.#capabilities)}`);
  }

  /** The user opens a thread of the history; what the agent replays is kept from its first update on. */
  async reopenThread(sessionId: string): Promise<ZedThread> {
    const { project, contextServers = [] } = this.options;
    if (this.#capabilities["loadSession"] !== true) throw new Error("The agent cannot load sessions.");
    const thread = new ZedThread(sessionId, {});
    this.threads.set(sessionId, thread);
    const params = { sessionId, cwd: project, mcpServers: contextServers };
    const { configOptions } = await this.#request("session/load", params);
    thread.selectors = selectorsOf(configOptions);
    return thread;
  }

  /** The user picks a value of a selector, or turns a switch. It becomes the default, whatever the agent answers. */
  async choose(thread: ZedThread, configId: string, value: string | boolean): Promise<void> {
    const { sessionId } = thread;
    this.#defaults.set(configId, value);
    const kind = typeof value === "boolean" && { type: "boolean" };
    const { configOptions } = await this.#request("session/set_config_option", { sessionId, configId, value, ...kind });
    thread.selectors = selectorsOf(configOptions);
  }

  /** The user sends a message; the stop reason. A slash command that the agent does not offer never leaves Zed. */
  async send(thread: ZedThread, text: string): Promise<string> {
    const [, command] = /^\/(\S+)/.exec(text) ?? [];
    if (command !== undefined && !thread.commands.includes(command)) {
      throw new Error(`/${command} is not a command of this agent (${thread.commands.join(", ")}).`);
    }
    const prompt = [{ type: "text", text }];
    const { stopReason } = await this.#request("session/prompt", { sessionId: thread.sessionId, prompt });
    return stringOf(stopReason);
  }

  cancel({ sessionId }: ZedThread): void {
    this.#connection.notify(Notification.of("session/cancel", { sessionId }));
  }

  /** How every Zed leaves: the process is killed, and nobody is told. Resolves when it is gone. */
  async drop(): Promise<void> {
    this.#child.process.kill("SIGKILL");
    await this.#child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
    await this.#terminals[Symbol.asyncDispose]();
  }

  /** `first` sees the result before any later message. */
  async #request(
    method: string,
    params: object,
    first: (result: JsonObject) => void = () => undefined,
  ): Promise<JsonObject> {
    const outcome = await new Promise<Outcome>((resolve) => {
      this.#connection.request(new Request(method, Json.of(params)), (answer) => {
        if (!answer.isError) first(objectOf(answer.json.value));
        resolve(answer);
      });
    });
    const value = objectOf(outcome.json.value);
    if (!outcome.isError) return value;
    const details = stringOf(objectOf(value["data"])["details"]);
    throw new Error(`${method}: ${details || stringOf(value["message"])}\n${this.#child.stderrTail}`);
  }

  async #answer(method: string, params: JsonObject): Promise<JsonObject> {
    const [, terminal] = /^terminal\/(\w+)$/.exec(method) ?? [];
    if (terminal !== undefined) return this.#terminals.answer(terminal, params);
    switch (method) {
      case "fs/read_text_file":
        return this.project.read(params);
      case "fs/write_text_file":
        return this.project.write(params);
      case "session/request_permission": {
        this.permissionRequests.push(params);
        this.threads.get(stringOf(params["sessionId"]))?.update({
          ...objectOf(params["toolCall"]),
          sessionUpdate: "tool_call_update",
        });
        const options = arrayOf(params["options"]).map(objectOf);
        const optionId = options.find(({ kind }) => kind === "allow_once")?.["optionId"];
        return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      }
      case "elicitation/create":
        return { action: "decline" };
    }
    throw RequestError.methodNotFound(method);
  }

  #notice(method: string, params: JsonObject): void {
    if (method !== "session/update") return;
    const update = objectOf(params["update"]);
    const thread = this.threads.get(stringOf(params["sessionId"]));
    if (!thread) {
      this.faults.push(`an update for the unknown session ${stringOf(params["sessionId"])}: ${JSON.stringify(update)}`);
      return;
    }
    const shown = stringOf(objectOf(objectOf(update["_meta"])["terminal_info"])["terminal_id"]);
    if (shown !== "") this.#terminals.show(shown);
    for (const content of arrayOf(update["content"]).map(objectOf)) {
      const id = stringOf(content["terminalId"]);
      if (content["type"] === "terminal" && !this.#terminals.has(id)) {
        this.faults.push(`a tool call with the unknown terminal ${id}`);
        return;
      }
    }
    thread.update(update);
  }
}

function errorOf(failure: unknown): RpcError {
  if (failure instanceof RequestError) return new RpcError(failure.code, failure.message, failure.data);
  return RpcError.internal(failure instanceof Error ? failure.message : String(failure));
}
