import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { Child, type ChildOptions } from "../support/child.js";
import { type JsonObject, objectOf, parseObject, stringOf } from "../support/json.js";

/** One prompt turn, from the write of the prompt to the arrival of its answer. */
interface Turn {
  readonly ms: number;
  readonly updates: number;
}

const newline = 0x0a;
/** Text that each of the agent's updates contains once, and that other components' messages don't contain. */
const chunkMark = Buffer.from('"agent_message_chunk"');
/** Longer than the answer to a prompt, whoever wrote it. */
const answerLength = 256;
const answerLimitMs = 120_000;

/** Takes what comes, read by read; returns true when the answer is complete. */
type Receive = (chunk: Buffer) => boolean;

interface Wait {
  readonly receive: Receive;
  resolve(): void;
  reject(reason: Error): void;
}

/**
 * An editor that costs next to nothing, so that the chain is what is measured: it looks at the end of each read only,
 * and counts updates when the clock has stopped.
 */
export class BenchClient implements AsyncDisposable {
  readonly #child: Child;
  #wait: Wait | undefined;
  #nextId = 1;
  #sessionId = "";
  #end = "";

  constructor(options: ChildOptions) {
    this.#child = new Child(options);
    this.#child.process.stdout.on("data", (chunk: Buffer) => this.#receive(chunk));
    void this.#child.exited.then((sentence) => {
      this.#wait?.reject(new Error(`${sentence} ${this.#child.stderrTail}`.trim()));
    });
  }

  /** Starts the command and opens a session. */
  static async open(options: ChildOptions): Promise<BenchClient> {
    const client = new BenchClient(options);
    await client.initialize();
    await client.openSession(options.cwd);
    return client;
  }

  /** Opens a session, to which later prompts go. */
  async openSession(cwd: string): Promise<void> {
    this.#sessionId = stringOf((await this.#request("session/new", { cwd, mcpServers: [] }))["sessionId"]);
  }

  get pid(): number {
    const { pid } = this.#child.process;
    if (pid === undefined) throw new Error("The process did not start.");
    return pid;
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  async initialize(): Promise<void> {
    await this.#request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  }

  /** Loads a session and gets its `expected` updates. */
  load(sessionId: string, cwd: string, expected: number): Promise<Turn> {
    this.#sessionId = sessionId;
    return this.#timed(this.#callLine("session/load", { sessionId, cwd, mcpServers: [] }), expected);
  }

  /** Resolves when `expected` updates have come, with the milliseconds since the call. */
  async watch(expected: number): Promise<number> {
    const start = performance.now();
    let updates = 0;
    let rest = Buffer.alloc(0);
    await this.#ask("", (chunk) => {
      const text = Buffer.concat([rest, chunk]);
      updates += countOf(chunkMark, text);
      rest = text.subarray(Math.max(text.lastIndexOf(chunkMark) + 1, text.length - chunkMark.length + 1));
      return updates >= expected;
    });
    return performance.now() - start;
  }

  /** Runs a prompt of one text; throws when another number of updates comes than `expected`. */
  prompt(text: string, expected: number): Promise<Turn> {
    return this.#timed(this.#promptLine(text), expected);
  }

  /** Runs a prompt with any number of updates and returns its milliseconds. */
  async talk(text: string): Promise<number> {
    const line = this.#promptLine(text);
    this.#end = "";
    const start = performance.now();
    await this.#ask(line, (chunk) => this.#endsWithAnswer(chunk));
    return performance.now() - start;
  }

  async #timed(line: string, expected: number): Promise<Turn> {
    this.#end = "";
    const chunks: Buffer[] = [];
    const start = performance.now();
    await this.#ask(line, (chunk) => {
      chunks.push(chunk);
      return this.#endsWithAnswer(chunk);
    });
    const ms = performance.now() - start;
    const updates = countOf(chunkMark, Buffer.concat(chunks));
    if (updates !== expected)
      throw new Error(`${updates} updates came instead of ${expected} (${line.slice(0, 200)}).`);
    return { ms, updates };
  }

  /** The same without keeping anything, at most `bytesPerSecond`: the reader pauses as often as it must. Counts the bytes. */
  async promptSlowly(text: string, bytesPerSecond: number): Promise<{ readonly bytes: number; readonly ms: number }> {
    const { stdout } = this.#child.process;
    const line = this.#promptLine(text);
    const start = performance.now();
    let bytes = 0;
    this.#end = "";
    const slowDown = async (aheadMs: number): Promise<void> => {
      stdout.pause();
      await pause(aheadMs);
      stdout.resume();
    };
    await this.#ask(line, (chunk) => {
      bytes += chunk.length;
      const aheadMs = (bytes / bytesPerSecond) * 1_000 - (performance.now() - start);
      if (aheadMs > 1 && !stdout.isPaused()) void slowDown(aheadMs);
      return this.#endsWithAnswer(chunk);
    });
    return { bytes, ms: performance.now() - start };
  }

  /** Ends the input; resolves with the milliseconds until the process was gone, or undefined when it stays `limitMs`. */
  async endInput(limitMs: number): Promise<number | undefined> {
    const start = performance.now();
    this.#child.process.stdin.end();
    const timer = new AbortController();
    const late = pause(limitMs, "late", { signal: timer.signal }).catch(() => "late");
    const first = await Promise.race([this.#child.exited, late]);
    timer.abort();
    return first === "late" ? undefined : performance.now() - start;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child[Symbol.asyncDispose]();
  }

  #promptLine(text: string): string {
    return this.#callLine("session/prompt", { sessionId: this.#sessionId, prompt: [{ type: "text", text }] });
  }

  /** The result. */
  async #request(method: string, params: unknown): Promise<JsonObject> {
    let text = "";
    let answer: JsonObject = {};
    await this.#ask(this.#callLine(method, params), (chunk) => {
      text += chunk.toString();
      // A chain's messages about the new session may arrive in the same chunk, after the answer.
      const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
      answer = whole.map(parseObject).find((line) => "result" in line || "error" in line) ?? {};
      return "result" in answer || "error" in answer;
    });
    if ("error" in answer) throw new Error(`${method}: ${JSON.stringify(objectOf(answer["error"]))}`);
    return objectOf(answer["result"]);
  }

  #callLine(method: string, params: unknown): string {
    return `${JSON.stringify({ jsonrpc: "2.0", id: this.#nextId++, method, params })}\n`;
  }

  /** Sends one line; resolves when its answer is complete. */
  async #ask(line: string, receive: Receive): Promise<void> {
    const timer = setTimeout(() => this.#wait?.reject(new Error(`No answer to ${line.slice(0, 200)}`)), answerLimitMs);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#wait = { receive, resolve, reject };
        this.#child.process.stdin.write(line);
      });
    } finally {
      this.#wait = undefined;
      clearTimeout(timer);
    }
  }

  #receive(chunk: Buffer): void {
    const wait = this.#wait;
    if (!wait) return;
    try {
      if (wait.receive(chunk)) wait.resolve();
    } catch (failure) {
      wait.reject(failure instanceof Error ? failure : new Error(String(failure)));
    }
  }

  #endsWithAnswer(chunk: Buffer): boolean {
    this.#end = (this.#end + chunk.toString("latin1", Math.max(0, chunk.length - answerLength))).slice(-answerLength);
    if (chunk[chunk.length - 1] !== newline) return false;
    const last = this.#end.slice(this.#end.lastIndexOf("\n", this.#end.length - 2) + 1);
    if (last.includes('"error"')) throw new Error(`The prompt failed: ${last.trim()}`);
    return /"(?:stopReason|result)"/.test(last) && !last.includes('"method"');
  }
}

function countOf(mark: Buffer, bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + mark.length)) count++;
  return count;
}
