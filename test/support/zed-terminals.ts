import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { Child } from "./child.js";
import { arrayOf, type JsonObject, objectOf, stringOf } from "./json.js";

interface Terminal {
  readonly child: Child;
  output: string;
  /** Resolves when it has ended, and `output` has all that it wrote. */
  readonly closed: Promise<unknown>;
  hasClosed: boolean;
}

/** The terminals of one Zed: those that an agent asks for, and those that it only shows. */
export class ZedTerminals implements AsyncDisposable {
  readonly #running = new Map<string, Terminal>();
  readonly #shown = new Set<string>();

  constructor(
    private readonly cwd: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Whether a tool call may name it. */
  has(id: string): boolean {
    return this.#running.has(id) || this.#shown.has(id);
  }

  /** A terminal that the agent runs itself: `_meta.terminal_info` of a tool call. */
  show(id: string): void {
    this.#shown.add(id);
  }

  /** Answers `terminal/METHOD`. */
  async answer(method: string, params: JsonObject): Promise<JsonObject> {
    if (method === "create") return this.#create(params);
    const id = stringOf(params["terminalId"]);
    const terminal = this.#running.get(id);
    if (!terminal) throw RequestError.invalidParams({ id }, `There is no terminal ${id}.`);
    const { exitCode, signalCode } = terminal.child.process;
    switch (method) {
      case "output":
        return {
          output: terminal.output,
          truncated: false,
          exitStatus: terminal.hasClosed ? { exitCode, signal: signalCode } : null,
        };
      case "wait_for_exit":
        await terminal.closed;
        return { exitCode: terminal.child.process.exitCode, signal: terminal.child.process.signalCode };
      case "release":
        this.#running.delete(id);
        await terminal.child[Symbol.asyncDispose]();
        return {};
      case "kill":
        await terminal.child[Symbol.asyncDispose]();
        return {};
    }
    throw RequestError.methodNotFound(`terminal/${method}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ child }) => child[Symbol.asyncDispose]()));
  }

  #create({ command, args, cwd, env }: JsonObject): JsonObject {
    const added = arrayOf(env).map(objectOf);
    const variables = Object.fromEntries(added.map(({ name, value }) => [stringOf(name), stringOf(value)]));
    const child = new Child({
      words: [stringOf(command), ...arrayOf(args).map(stringOf)],
      cwd: stringOf(cwd) || this.cwd,
      env: { ...this.env, ...variables },
    });
    const closed = once(child.process, "close").catch(() => undefined);
    const terminal: Terminal = { child, output: "", closed, hasClosed: false };
    void closed.then(() => (terminal.hasClosed = true));
    for (const stream of [child.process.stdout, child.process.stderr]) {
      stream.on("data", (chunk: Buffer) => (terminal.output += chunk.toString()));
    }
    const terminalId = randomUUID();
    this.#running.set(terminalId, terminal);
    return { terminalId };
  }
}
