import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { abortOf } from "../../../base/until-aborted.js";
import { AgentClient } from "../../../conductor/client/agent-client.js";
import { AgentRefusal } from "../../../conductor/client/agent-errors.js";
import type { AgentSession } from "../../../conductor/client/agent-session.js";
import type { ProxyChain } from "../../../conductor/chain/proxy.js";
import type { McpServer } from "../../../base/mcp/mcp-server.js";
import type { Outcome } from "../../../base/rpc/message.js";
import type { LocatedCrate } from "../crates/crate-locator.js";
import { crateFault } from "../crates/workspace-crates.js";
import { ResearchSessionState } from "./research-session-state.js";
import { researchPrompt } from "./research-prompt.js";
import type { SessionFilter } from "./session-filter.js";

/** Time for the agent to end a cancelled turn. */
const cancelGraceMs = 5_000;
/** Time for the agent to close a session. */
const closeGraceMs = 5_000;
const mostRemembered = 200;

interface ResearchQuestion {
  readonly crate: LocatedCrate;
  readonly prompt: string;
  /** Signals that each cancel the research. */
  readonly signals: readonly AbortSignal[];
  progress(message: string): void;
  /** Creates the MCP server of the research session. */
  serverFor(session: ResearchSessionState): McpServer;
}

/** Runs research sessions with the chain's agent, also concurrently, and caches their answers. */
export class Researcher {
  readonly #answers = new Map<string, string>();
  readonly #ending = new AbortController();
  #offer: McpServer | undefined;
  /** Handles only research sessions. The agent's messages arrive through the chain, and the editor initialized the agent. */
  readonly #client = new AgentClient<ResearchSessionState>({ capabilities: {} });

  constructor(
    private readonly chain: ProxyChain,
    private readonly filter: SessionFilter,
    private readonly timeoutMs: number,
    private readonly logger: Logger,
  ) {}

  /** Records the result of `initialize`. */
  noteInitialized(outcome: Outcome): void {
    this.#client.join(this.chain.successor, outcome.json.object ?? {});
  }

  /** MCP server for the research session that is being opened right now, if any. */
  get openingServer(): McpServer | undefined {
    return this.#offer;
  }

  /** Cancels all running research. */
  stop(): void {
    this.#ending.abort();
  }

  /** Returns the result of the research. Throws if the agent fails, submits nothing or exceeds the time limit without a result. */
  async answer(question: ResearchQuestion): Promise<string> {
    const { crate, prompt } = question;
    const key = JSON.stringify([crate.folder.path, crate.version, prompt]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    using end = new EndSignal([...question.signals, this.#ending.signal], this.timeoutMs);
    const session = new ResearchSessionState(crate.folder, (message) => question.progress(message));
    const opened = await this.#open(question, session, end);
    try {
      const isWhole = await this.#prompt(opened, researchPrompt(crate, prompt), end);
      const text = session.answer;
      if (isWhole && crate.isFixed) this.#remember(key, text);
      return isWhole
        ? text
        : `${text}\n\n(The research was stopped after ${this.timeoutMs / 1000} s; this is what it had found.)`;
    } finally {
      session.end();
      void this.#end(opened);
    }
  }

  async #open(
    question: ResearchQuestion,
    session: ResearchSessionState,
    end: EndSignal,
  ): Promise<AgentSession<ResearchSessionState>> {
    const cwd = question.crate.folder.path;
    const members = { _meta: { symposium: { subagent: "ferris" } } };
    this.filter.opening();
    // The chain asks for the servers synchronously, before this call returns.
    this.#offer = question.serverFor(session);
    const asked = this.#client.newSession({ cwd, members }, session);
    this.#offer = undefined;
    const opening = asked.then(
      (opened) => {
        this.filter.opened(opened.id, session);
        return opened;
      },
      (refusal: unknown) => {
        this.filter.opened(undefined, session);
        return { problem: problemOf(refusal) };
      },
    );
    const first = await Promise.race([opening, end.aborted]);
    if (!first) {
      // Closes the session if it opens after the cancellation.
      void opening.then((opened) => {
        session.end();
        if (!("problem" in opened)) void this.#end(opened);
      });
      throw this.#givenUp(end);
    }
    if (!("problem" in first)) return first;
    throw crateFault(
      `The agent couldn't open a research session: ${first.problem}.`,
      "Use crate_sources, crate_search and crate_item instead.",
    );
  }

  /** Returns whether the turn ended by itself; false if the time limit ended it after a submission. */
  async #prompt(session: AgentSession<ResearchSessionState>, text: string, end: EndSignal): Promise<boolean> {
    const research = session.listener;
    const turn = session.prompt([{ type: "text", text }]);
    const ending = turn.result.then(({ stopReason }) => `it ended with "${String(stopReason)}"`, problemOf);
    const problem = await Promise.race([ending, end.aborted]);
    if (problem === undefined) {
      await turn.cancel(cancelGraceMs);
      if (end.isTimeout && research.answer !== "") return false;
      throw this.#givenUp(end);
    }
    if (research.answer !== "") return true;
    throw crateFault(
      `The research returned no answer: ${problem}.`,
      "Ask a smaller question, or use crate_search and crate_item.",
    );
  }

  /** Ends the session and deletes it if the agent supports that, so that the user's session list doesn't show it. */
  async #end(session: AgentSession<ResearchSessionState>): Promise<void> {
    await session.close(closeGraceMs);
    if (!this.#client.initialized.canDelete) return;
    try {
      await this.#client.deleteSession(session.id);
    } catch (refusal) {
      this.logger.debug("couldn't delete a research session", { problem: problemOf(refusal) });
    }
  }

  #remember(key: string, answer: string): void {
    const oldest = this.#answers.keys().next();
    if (this.#answers.size >= mostRemembered && oldest.done !== true) this.#answers.delete(oldest.value);
    this.#answers.set(key, answer);
  }

  #givenUp(end: EndSignal): Error {
    if (!end.isTimeout) return crateFault("The research was cancelled.", "Ask again when you need it.");
    return crateFault(
      `The research took longer than ${this.timeoutMs / 1000} s.`,
      "Ask a smaller question, or raise researchTimeoutMs in the options of ferris.",
    );
  }
}

function problemOf(thrown: unknown): string {
  if (!(thrown instanceof AgentRefusal)) return messageOf(thrown);
  return thrown.code === undefined ? "its answer has no session id" : (thrown.reason ?? thrown.message);
}

/** Signal that aborts with any of `signals` or after the time limit. Disposing removes all listeners. */
class EndSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: TimerHandle;
  #isTimeout = false;

  constructor(
    private readonly signals: readonly AbortSignal[],
    timeoutMs: number,
  ) {
    this.#timer = setTimeout(() => {
      this.#isTimeout = true;
      this.#controller.abort();
    }, timeoutMs);
    for (const signal of signals) {
      if (signal.aborted) this.#controller.abort();
      signal.addEventListener("abort", this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time limit was reached. */
  get isTimeout(): boolean {
    return this.#isTimeout;
  }

  get aborted(): Promise<void> {
    return abortOf(this.signal);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of this.signals) signal.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}
