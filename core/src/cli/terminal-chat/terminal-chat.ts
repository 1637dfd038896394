import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import type { Peer } from "../../rpc/peer.js";
import { rpcErrorCodes } from "../../rpc/rpc-error.js";
import { AgentSession } from "./agent-session.js";
import { authenticate } from "./authentication.js";
import { ChatClient } from "./chat-client.js";
import { ChatTurn, failureText } from "./chat-turn.js";
import { exitCodes } from "./exit-codes.js";
import { FileAccess } from "./file-access.js";
import { LineInput, type TextInput } from "./line-input.js";
import { PermissionDesk } from "./permission-desk.js";
import type { PermissionPolicy } from "./permission-question.js";
import { readPrompt } from "./prompt-reader.js";
import { safeLine } from "./safe-text.js";
import { SessionView } from "./session-view.js";
import type { TextOutput } from "./sink.js";
import type { Environment } from "./style.js";
import { Transcript } from "./transcript.js";

export interface TerminalChatOptions {
  readonly input: TextInput;
  /** The answer's text, and on a terminal the rest of the conversation. */
  readonly output: TextOutput;
  /** Errors, and what is no answer when a program reads {@link output}; stderr when absent. */
  readonly errors?: TextOutput;
  /** The folder of the session: absolute. */
  readonly cwd: string;
  readonly version: string;
  readonly logger: Logger;
  /** Names of the extensions that take part, for the greeting. */
  readonly extensions?: readonly string[];
  /** The command that starts the agent, for logins in another terminal. */
  readonly agentCommand?: string;
  /** What answers permission requests, also those for files; when absent the user on a terminal, else rejection. */
  readonly permission?: Exclude<PermissionPolicy, "ask">;
  /** Where SIGINT comes from while the terminal does not give us Ctrl-C as a key; the process when absent. */
  readonly signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  /** Aborted when the chain has failed: the chat says why, by the error it got or by the reason, and ends with 1. */
  readonly stop?: AbortSignal;
  readonly env?: Environment;
  /** How long an agent may take to confirm a cancellation; 10 s when absent. */
  readonly cancelGraceMs?: number;
}

/**
 * Talks with an agent in the terminal: one prompt and out, or a conversation. {@link client} is what the agent's side
 * calls, from the start on; {@link run} happens once.
 */
export class TerminalChat {
  readonly client: Peer;
  readonly #options: TerminalChatOptions;
  readonly #client: ChatClient;
  readonly #transcript: Transcript;
  readonly #view: SessionView;
  readonly #input: LineInput;
  readonly #permissions: PermissionDesk;
  readonly #isInteractive: boolean;
  readonly #left: Promise<number>;
  #leave: (exitCode: number) => void = () => undefined;
  #session: AgentSession | undefined;
  #turn: ChatTurn | undefined;
  #isAtPrompt = false;

  constructor(options: TerminalChatOptions) {
    const { input, output, errors = process.stderr, cwd, logger, env = process.env } = options;
    this.#options = options;
    this.#isInteractive = input.isTTY === true;
    this.#transcript = new Transcript({ output, errors, env });
    this.#view = new SessionView(this.#transcript, cwd);
    this.#input = new LineInput({ input, screen: this.#transcript.notes, onInterrupt: () => this.#interrupt() });
    this.#permissions = new PermissionDesk({
      policy: options.permission,
      isInteractive: this.#isInteractive,
      input: this.#input,
      view: this.#view,
      transcript: this.#transcript,
    });
    this.#client = new ChatClient({
      view: this.#view,
      transcript: this.#transcript,
      permissions: this.#permissions,
      files: new FileAccess(cwd, this.#permissions),
      logger,
    });
    this.client = this.#client;
    this.#left = new Promise((resolve) => (this.#leave = resolve));
  }

  /**
   * Holds the conversation with the agent behind `agentSide`: about `prompt` alone when it is given, else until the
   * user leaves. Resolves with the exit code, see {@link exitCodes}.
   */
  async run(agentSide: Peer, prompt?: string): Promise<number> {
    const { output, errors = process.stderr, signals = process, stop } = this.#options;
    const onInterrupt = (): void => this.#interrupt();
    const onStop = (): void => this.#stop(stop?.reason);
    const onLostReader = (): void => this.#leave(exitCodes.failure);
    signals.on("SIGINT", onInterrupt);
    stop?.addEventListener("abort", onStop, { once: true });
    // A reader that has gone away (EPIPE) ends the conversation like a user who leaves.
    for (const stream of new Set([output, errors])) stream.on("error", onLostReader);
    if (stop?.aborted === true) onStop();
    // An agent in this process may wait with nothing else that keeps the process alive.
    const alive = setInterval(() => undefined, 2 ** 30);
    try {
      return await Promise.race([this.#left, this.#converse(agentSide, prompt)]);
    } finally {
      clearInterval(alive);
      signals.off("SIGINT", onInterrupt);
      stop?.removeEventListener("abort", onStop);
      this.#turn?.abandon();
      this.#permissions.withdraw();
      this.#input[Symbol.dispose]();
      this.#transcript.close();
    }
  }

  async #converse(agent: Peer, prompt: string | undefined): Promise<number> {
    const { cwd, version } = this.#options;
    const session = new AgentSession({ agent, cwd, version });
    this.#session = session;
    const failure = (await session.initialize()).failure;
    if (failure) return this.#fail(failureText(failure));
    if (this.#isInteractive && prompt === undefined) this.#greet(session);
    const exitCode = await this.#open(session);
    if (exitCode !== exitCodes.success) return exitCode;
    this.#client.sessionId = session.id;
    return prompt === undefined ? this.#talk(session) : this.#take(session, prompt);
  }

  async #open(session: AgentSession): Promise<number> {
    const first = await session.open();
    if (!first.failure) return exitCodes.success;
    if (first.failure.code !== rpcErrorCodes.authRequired) return this.#fail(failureText(first.failure));
    const answer = await authenticate({
      session,
      transcript: this.#transcript,
      input: this.#isInteractive ? this.#input : undefined,
      agentCommand: this.#options.agentCommand,
    });
    if (answer === undefined) {
      this.#fail("error: the agent needs a login. Log in with the agent's own program, or choose a way in a terminal.");
      return exitCodes.authRequired;
    }
    const second = answer.failure ? answer : await session.open();
    if (!second.failure) return exitCodes.success;
    this.#fail(failureText(second.failure));
    return second.failure.code === rpcErrorCodes.authRequired ? exitCodes.authRequired : exitCodes.failure;
  }

  async #talk(session: AgentSession): Promise<number> {
    let worst: number = exitCodes.success;
    for (;;) {
      this.#isAtPrompt = true;
      const prompt = await readPrompt(this.#input, this.#transcript.style);
      this.#isAtPrompt = false;
      if (prompt === undefined || prompt.trim() === "/exit") break;
      if (prompt.trim() === "") continue;
      if (prompt.trim() === "/help") {
        this.#help();
        continue;
      }
      const exitCode = await this.#take(session, prompt);
      if (exitCode !== exitCodes.success) worst = exitCode;
      if (exitCode === exitCodes.cancelled && !this.#isInteractive) break;
    }
    return this.#isInteractive ? exitCodes.success : worst;
  }

  async #take(session: AgentSession, prompt: string): Promise<number> {
    const { cancelGraceMs = 10_000 } = this.#options;
    const turn = new ChatTurn({
      session,
      view: this.#view,
      transcript: this.#transcript,
      permissions: this.#permissions,
      cancelGraceMs,
    });
    this.#turn = turn;
    const exitCode = await turn.run(prompt);
    this.#turn = undefined;
    return exitCode;
  }

  /** The first Ctrl-C of a turn cancels it; any other leaves. */
  #interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isCancelled) {
      this.#leave(this.#isAtPrompt && this.#isInteractive ? exitCodes.success : exitCodes.cancelled);
      return;
    }
    const forgotten = this.#isInteractive ? this.#input.forget() : 0;
    if (forgotten > 0) this.#transcript.remark(`forgot ${forgotten} lines that waited`);
    turn.cancel();
  }

  /** The chain has failed: whoever waits for an answer has got the reason as an error, and shows it first. */
  #stop(reason: unknown): void {
    if (this.#session?.isWaiting !== true) this.#leave(this.#fail(`error: ${messageOf(reason)}`));
    else setImmediate(() => this.#leave(exitCodes.failure));
  }

  #fail(text: string): number {
    this.#transcript.warn(text);
    return exitCodes.failure;
  }

  #greet(session: AgentSession): void {
    const { version, extensions = [] } = this.#options;
    const extended = extensions.length === 0 ? "no extensions" : `extensions: ${extensions.join(", ")}`;
    this.#transcript.warn(`${safeLine(session.title)} through Symposium ${version}, ${extended}.`);
    this.#transcript.warn("Type /help for help, /exit or Ctrl-D to leave.");
  }

  #help(): void {
    const commands = this.#view.commands.map(({ name, description }) => `  /${name}  ${description}`);
    this.#transcript.lines([
      "A line is a prompt; end it with \\ to go on with the next line.",
      "Ctrl-C during a turn cancels it. Ctrl-C at the prompt, Ctrl-D or /exit leaves.",
      ...(commands.length === 0 ? [] : [`Commands of the agent:`, ...commands]),
    ]);
  }
}
