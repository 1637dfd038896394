import type { SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import { symposiumIn } from "../../../base/acp/symposium-meta.js";
import { acpMethods, acpVersion } from "../../../base/acp/methods.js";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { AgentClient, type AgentRequestHandler } from "../../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import type { AgentSession, SessionListener, SessionSetup } from "../../../conductor/client/agent-session.js";
import { hostTurnIn, OthersTurn } from "../../../conductor/client/other-clients-turn.js";
import type { UncheckedAuthMethod } from "../../../conductor/client/initialized-agent.js";
import { isUpdate, objectsOf, type Unchecked } from "../../../conductor/client/unchecked.js";
import { asObject, type Members, stringOf, textOf } from "../../../base/rpc/json.js";
import type { Peer } from "../../../base/rpc/peer.js";
import { shellWord } from "../../../base/shell-word.js";
import { authenticate } from "./authentication.js";
import type { ChatListener } from "./chat-listener.js";
import { ChatTurn, exitCodes, failureText } from "./chat-turn.js";
import { FileAccess } from "./file-access.js";
import { LineInput, type TextInput } from "./line-input.js";
import { PermissionDesk, type PermissionPolicy } from "./permission-desk.js";
import { safeLine } from "./safe-text.js";
import { SessionView } from "./session-view.js";
import type { Environment } from "../style.js";
import { waitingFor } from "../waiting-line.js";
import { shortPath } from "./tool-call.js";
import { type TextOutput, Transcript } from "./transcript.js";

export interface TerminalChatOptions {
  readonly input: TextInput;
  /** Output for the answer, and on a terminal for the rest of the conversation. */
  readonly output: TextOutput;
  /** Output for errors, and for everything except the answer if a program reads {@link output}. Default: stderr. */
  readonly errors?: TextOutput;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  readonly members?: Members;
  /** Id of a live session of the host. If absent, opens a new session. */
  readonly attach?: string;
  /** Whether the host runs the session. The end of input then leaves a running turn and its question to the host. */
  readonly isHosted?: true;
  /** Other machine that has the session's files, as a value of `--on`. The chat then neither serves nor reads files of this machine. */
  readonly machine?: string | undefined;
  readonly version: string;
  readonly logger: Logger;
  readonly extensions?: readonly string[];
  readonly agentCommand?: string;
  /** Options that select the agent for the `sign-in` subcommand. */
  readonly signInWords?: readonly string[];
  /** Policy for permission requests, including files. If absent, asks on a terminal and otherwise denies. */
  readonly permission?: Exclude<PermissionPolicy, "ask">;
  /** Source of SIGINT while the terminal doesn't deliver Ctrl-C as a key. Default: the process. */
  readonly signals?: Pick<NodeJS.EventEmitter, "on" | "off">;
  /** Aborted if the chain fails. The chat shows the error and exits with 1. */
  readonly stop?: AbortSignal;
  readonly env?: Environment;
  /** Time for the agent to confirm a cancellation; default 10 s. */
  readonly cancelGraceMs?: number;
  /** When aborted, cancels the running turn, or ends the chat if no turn is running, as Ctrl-C does. */
  readonly deadline?: AbortSignal;
  readonly listener?: ChatListener;
  /** Whether to show only warnings and errors, so that only the listener writes to {@link output}. */
  readonly isMuted?: boolean;
}

/**
 * Terminal chat with an agent: a single prompt or a conversation. Connect the agent's side to {@link fromAgent} before the start; call
 * {@link run} only once.
 */
export class TerminalChat {
  readonly #options: TerminalChatOptions;
  readonly #client: AgentClient;
  readonly #transcript: Transcript;
  readonly #view: SessionView;
  readonly #input: LineInput;
  readonly #permissions: PermissionDesk;
  readonly #isInteractive: boolean;
  readonly #left: Promise<number>;
  #leave: (exitCode: number) => void = () => undefined;
  #waiting = 0;
  #turn: ChatTurn | undefined;
  /** Turn that another client of the host has started and that is still running. */
  #others: OthersTurn | undefined;
  #isAtPrompt = false;
  #isSigningIn = false;

  constructor(options: TerminalChatOptions) {
    const { input, output, errors = process.stderr, cwd, logger, env = process.env, machine } = options;
    const isRemote = machine !== undefined;
    this.#options = options;
    this.#isInteractive = input.isTTY === true;
    this.#transcript = new Transcript({ output, errors, env, isMuted: options.isMuted === true });
    this.#view = new SessionView(this.#transcript, { cwd, isRemote });
    this.#input = new LineInput({
      input,
      screen: this.#transcript.notes,
      onInterrupt: () => this.#interrupt(),
      onEnd: () => this.#leaveToHost(),
    });
    this.#permissions = new PermissionDesk({
      policy: options.permission,
      isInteractive: this.#isInteractive,
      isHosted: options.isHosted === true,
      input: this.#input,
      view: this.#view,
      transcript: this.#transcript,
      onDecided: (decided) => options.listener?.decided(decided),
    });
    this.#client = new AgentClient({
      clientInfo: { name: "symposium-chat", title: "Symposium chat", version: options.version },
      capabilities: {
        fs: { readTextFile: !isRemote, writeTextFile: !isRemote },
        terminal: false,
        auth: { terminal: false },
        subagents: {},
      },
      requests: {
        [acpMethods.requestPermission]: ({ params = {}, signal }) => this.#permissions.decide(params, signal),
        ...(!isRemote && this.#fileRequests(cwd)),
      },
      // Agents' extension notifications are meaningless to users.
      notification: ({ method }) => {
        if (!method.startsWith("_")) this.#transcript.remark(safeLine(`[${method}]`));
      },
      otherUpdate: (sessionId, update) => {
        options.listener?.update(update, sessionId);
        const kind = stringOf(update.sessionUpdate) ?? "update";
        this.#transcript.remark(safeLine(`[session ${sessionId}] ${kind}`));
      },
      logger,
    });
    this.#left = new Promise((resolve) => (this.#leave = resolve));
  }

  get fromAgent(): Peer {
    return this.#client.fromAgent;
  }

  #fileRequests(cwd: string): Readonly<Record<string, AgentRequestHandler>> {
    const files = new FileAccess(cwd, this.#permissions);
    return {
      "fs/read_text_file": ({ params = {}, signal }) => files.read(params, signal),
      "fs/write_text_file": async ({ params = {}, signal }) => {
        await files.write(params, signal);
        this.#transcript.remark(`wrote ${shortPath(cwd, textOf(params["path"]))}`);
      },
    };
  }

  /**
   * Runs the conversation with the agent behind `agentSide`: only `prompt` if given, otherwise until the user leaves. Resolves with one of
   * {@link exitCodes}.
   */
  async run(agentSide: Peer, prompt?: string): Promise<number> {
    const { output, errors = process.stderr, signals = process, stop, deadline } = this.#options;
    const onInterrupt = (): void => this.#interrupt();
    const onStop = (): void => this.#stop(stop?.reason);
    const onLostReader = (): void => this.#leave(exitCodes.failure);
    signals.on("SIGINT", onInterrupt);
    stop?.addEventListener("abort", onStop, { once: true });
    // A closed output pipe (EPIPE) ends the conversation as if the user left.
    for (const stream of new Set([output, errors])) stream.on("error", onLostReader);
    deadline?.addEventListener("abort", onInterrupt, { once: true });
    if (stop?.aborted === true) onStop();
    if (deadline?.aborted === true) onInterrupt();
    // Keeps the process alive. While the chat waits for an agent in this process, nothing else may prevent the process from exiting.
    const alive = setInterval(() => undefined, 2 ** 30);
    try {
      if (this.#transcript.drawsColours) await this.#drawMarkdown();
      return await Promise.race([this.#left, this.#converse(agentSide, prompt)]);
    } finally {
      clearInterval(alive);
      signals.off("SIGINT", onInterrupt);
      stop?.removeEventListener("abort", onStop);
      deadline?.removeEventListener("abort", onInterrupt);
      this.#permissions.withdraw();
      this.#input[Symbol.dispose]();
      this.#transcript.close();
    }
  }

  /** Loads the Markdown parser only for terminals. */
  async #drawMarkdown(): Promise<void> {
    const [{ default: MarkdownIt }, { MarkdownText }] = await Promise.all([
      import("markdown-it"),
      import("./markdown-text.js"),
    ]);
    const { style, columns } = this.#transcript;
    this.#transcript.drawAnswersWith(new MarkdownText(new MarkdownIt(), style, columns));
  }

  async #converse(agent: Peer, prompt: string | undefined): Promise<number> {
    try {
      const { errors = process.stderr } = this.#options;
      const starting = waitingFor("Starting the agent", this.#client.initialize(agent), errors);
      const { protocolVersion, result } = await this.#wait(starting);
      if (protocolVersion !== acpVersion) {
        const version = JSON.stringify(result.protocolVersion);
        return this.#fail(`error: The agent speaks ACP version ${version}; the chat speaks version ${acpVersion}.`);
      }
      if (this.#isInteractive && prompt === undefined) this.#introduce();
      const session = await this.#open();
      if (session === undefined) return exitCodes.authRequired;
      const others = this.#others;
      if (others) await this.#take(session, (turn) => turn.join(others.end));
      return prompt === undefined ? await this.#talk(session) : await this.#take(session, (turn) => turn.run(prompt));
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal)) throw thrown;
      this.#fail(failureText(thrown));
      return thrown.wantsSignIn && this.#isSigningIn ? exitCodes.authRequired : exitCodes.failure;
    }
  }

  async #open(): Promise<AgentSession | undefined> {
    const { cwd, members = {}, attach, listener: observer } = this.#options;
    const listener: SessionListener = {
      update: (update) => this.#update(update),
      childUpdate: (childId, update) => {
        observer?.update(update, childId);
        this.#view.showChild(update);
      },
    };
    const open = async (): Promise<AgentSession> => {
      const session = await this.#wait(
        attach === undefined
          ? this.#client.newSession({ cwd, members }, listener)
          : this.#attach(attach, { cwd }, listener),
      );
      observer?.opened(session.id, cwd, asObject(this.#client.initialized.result.agentInfo) ?? {});
      return session;
    };
    try {
      return await open();
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal) || !thrown.wantsSignIn) throw thrown;
      this.#isSigningIn = true;
      const hasChosen = await authenticate({
        client: { authenticate: (methodId) => this.#wait(this.#client.authenticate(methodId)) },
        title: this.#title,
        methods: this.#methods(thrown),
        transcript: this.#transcript,
        input: this.#isInteractive ? this.#input : undefined,
        agentCommand: this.#options.agentCommand,
      });
      if (!hasChosen) {
        this.#fail(
          `error: You need to sign in. Run \`${this.#signInCommand}\`, or sign in with the agent's own program.`,
        );
        return undefined;
      }
      return await open();
    }
  }

  async #attach(id: string, setup: SessionSetup, listener: SessionListener): Promise<AgentSession> {
    const session = await this.#client.loadSession(id, setup, listener);
    const { state } = symposiumIn(session.opened["_meta"]);
    if (state === "working" || state === "waiting") this.#others ??= new OthersTurn();
    return session;
  }

  #update(update: Unchecked<SessionUpdate>): void {
    const { listener, isMuted = false } = this.#options;
    listener?.update(update);
    // A muted chat shows titles of tool calls in its warnings, but no text.
    if (!isMuted || isUpdate(update, "tool_call") || isUpdate(update, "tool_call_update")) this.#view.show(update);
    const turn = hostTurnIn(update);
    if (turn) this.#others = OthersTurn.next(this.#others, turn);
  }

  #methods({ data }: AgentRefusal): readonly UncheckedAuthMethod[] {
    const { authMethods } = this.#client.initialized;
    return authMethods.length > 0 ? authMethods : objectsOf(asObject(data)?.["authMethods"]);
  }

  get #signInCommand(): string {
    const { signInWords = [] } = this.#options;
    return ["symposium-acp-agent", "sign-in", ...signInWords.map(shellWord)].join(" ");
  }

  get #title(): string {
    const { title, name, version } = this.#client.initialized;
    return [title ?? name ?? "the agent", version].filter((part) => part !== undefined).join(" ");
  }

  async #wait<T>(answer: Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      return await answer;
    } finally {
      this.#waiting--;
    }
  }

  async #talk(session: AgentSession): Promise<number> {
    let worst: number = exitCodes.success;
    for (;;) {
      this.#isAtPrompt = true;
      const prompt = await this.#input.prompt(this.#transcript.style);
      this.#isAtPrompt = false;
      if (prompt === undefined || prompt.trim() === "/exit") break;
      if (prompt.trim() === "") continue;
      if (prompt.trim() === "/help") {
        this.#help();
        continue;
      }
      const exitCode = await this.#take(session, (turn) => turn.run(prompt));
      if (exitCode !== exitCodes.success) worst = exitCode;
      if (exitCode === exitCodes.cancelled && !this.#isInteractive) break;
    }
    return this.#isInteractive ? exitCodes.success : worst;
  }

  async #take(session: AgentSession, send: (turn: ChatTurn) => Promise<number>): Promise<number> {
    const { cancelGraceMs = 10_000 } = this.#options;
    const turn = new ChatTurn({
      session,
      view: this.#view,
      transcript: this.#transcript,
      permissions: this.#permissions,
      cancelGraceMs,
      signInCommand: this.#signInCommand,
      listener: this.#options.listener,
      waiting: (answer) => this.#wait(answer),
    });
    this.#turn = turn;
    const exitCode = await send(turn);
    this.#turn = undefined;
    return exitCode;
  }

  /** Handles Ctrl-C: clears a half-typed prompt, or cancels the running turn at the first press. Otherwise, Ctrl-C ends the chat. */
  #interrupt(): void {
    const turn = this.#turn;
    if (this.#isAtPrompt && this.#isInteractive && this.#input.clear()) return;
    if (turn === undefined || turn.isCancelled) {
      this.#leave(this.#isAtPrompt && this.#isInteractive ? exitCodes.success : exitCodes.cancelled);
      return;
    }
    if (this.#isInteractive) this.#forgetQueue();
    turn.cancel();
  }

  #forgetQueue(): void {
    const forgotten = this.#input.forget();
    if (forgotten > 0) this.#transcript.remark(`discarded ${forgotten} queued lines`);
  }

  #leaveToHost(): void {
    if (this.#options.isHosted !== true || !this.#isInteractive || !this.#turn) return;
    this.#forgetQueue();
    const { machine } = this.#options;
    const board = ["sessions board", ...(machine === undefined ? [] : ["--on", shellWord(machine)])].join(" ");
    this.#transcript.warn(`The session continues in the host; \`${board}\` opens it.`);
    this.#leave(exitCodes.success);
  }

  /** Ends the chat after a chain failure. Pending requests fail with the reason, and their errors are shown before the chat ends. */
  #stop(reason: unknown): void {
    if (this.#waiting === 0) this.#leave(this.#fail(`error: ${messageOf(reason)}`));
    else setImmediate(() => this.#leave(exitCodes.failure));
  }

  #fail(text: string): number {
    this.#transcript.warn(text);
    this.#options.listener?.failed(text);
    return exitCodes.failure;
  }

  #introduce(): void {
    const { version, extensions = [] } = this.#options;
    const extended = extensions.length === 0 ? "no extensions" : `extensions: ${extensions.join(", ")}`;
    this.#transcript.warn(`${safeLine(this.#title)} through Symposium ${version}, ${extended}.`);
    this.#transcript.warn("Type /help for help, /exit or Ctrl-D to leave.");
  }

  #help(): void {
    // The chat itself takes these two.
    const all = this.#view.commands.filter(({ name }) => name !== "help" && name !== "exit");
    // Skills of plugins and packages, such as `/plugin:name`, come last, since there can be many.
    const commands = [...all.filter((one) => !isOfOthers(one)), ...all.filter(isOfOthers)].map(
      ({ name, description }) => `  /${name}  ${description}`,
    );
    this.#transcript.lines([
      "Each line is a prompt; end a line with \\ to continue on the next line.",
      "Ctrl-C during a turn cancels it and clears a half-typed prompt.",
      "Ctrl-C at an empty prompt, Ctrl-D or /exit exits the chat.",
      ...(commands.length === 0 ? [] : ["Agent commands:", ...commands]),
    ]);
  }
}

function isOfOthers({ name }: { readonly name: string }): boolean {
  return name.includes(":");
}
