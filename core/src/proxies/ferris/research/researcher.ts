import { acpMethods } from "../../../acp/methods.js";
import type { Logger } from "../../../base/logger.js";
import type { ProxyChain } from "../../../conductor/proxy.js";
import type { McpServer } from "../../../mcp/mcp-server.js";
import { Notification, type Outcome, Request } from "../../../rpc/message.js";
import { ask } from "../../../rpc/peer.js";
import { crateFault } from "../crates/workspace-crates.js";
import type { LocatedCrate } from "../crates/crate-locator.js";
import { EndSignal } from "./end-signal.js";
import { researchPrompt } from "./research-prompt.js";
import { ResearchSession } from "./research-session.js";
import type { SessionFilter } from "./session-filter.js";

/** How long the agent may take to end a turn that was given up. */
const cancelGraceMs = 5_000;
const mostRemembered = 200;

interface ResearchQuestion {
  readonly crate: LocatedCrate;
  readonly prompt: string;
  /** Any of them gives the research up. */
  readonly signals: readonly AbortSignal[];
  progress(message: string): void;
  /** The server that the research session gets. */
  serverFor(session: ResearchSession): McpServer;
}

/** Opens research sessions with the agent of the chain, several at once where wanted, and remembers their answers. */
export class Researcher {
  readonly #answers = new Map<string, string>();
  readonly #ending = new AbortController();
  #offer: McpServer | undefined;
  /** What the agent offers of them, in the order in which a session is ended. */
  #endMethods: readonly string[] = [];

  constructor(
    private readonly chain: ProxyChain,
    private readonly filter: SessionFilter,
    private readonly timeoutMs: number,
    private readonly logger: Logger,
  ) {}

  /** Looks at the answer to `initialize`. */
  noteInitialized(outcome: Outcome): void {
    const capabilities = outcome.json.object?.["agentCapabilities"];
    const offers = (name: string): boolean => memberAt(capabilities, "sessionCapabilities", name) !== undefined;
    this.#endMethods = [
      ...(offers("close") ? [acpMethods.sessionClose] : []),
      ...(offers("delete") ? [acpMethods.sessionDelete] : []),
    ];
  }

  /** The server for the session that is being opened at this moment, when it is a research session. */
  get openingServer(): McpServer | undefined {
    return this.#offer;
  }

  /** Ends everything that runs. */
  stop(): void {
    this.#ending.abort();
  }

  /** What research brings. Throws when the agent fails, hands in nothing, or time is over before it does. */
  async answer(question: ResearchQuestion): Promise<string> {
    const { crate, prompt } = question;
    const key = JSON.stringify([crate.folder.path, crate.version, prompt]);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    using end = new EndSignal([...question.signals, this.#ending.signal], this.timeoutMs);
    const session = new ResearchSession(crate.folder, (message) => question.progress(message));
    const sessionId = await this.#open(question, session, end);
    try {
      const isWhole = await this.#prompt(sessionId, session, researchPrompt(crate, prompt), end);
      const text = session.answer;
      if (isWhole && crate.isFixed) this.#remember(key, text);
      return isWhole
        ? text
        : `${text}\n\n(The research was stopped after ${this.timeoutMs / 1000} s; this is what it had found.)`;
    } finally {
      session.end();
      void this.#end(sessionId);
    }
  }

  async #open(question: ResearchQuestion, session: ResearchSession, end: EndSignal): Promise<string> {
    const { crate } = question;
    const request = Request.of(acpMethods.sessionNew, {
      cwd: crate.folder.path,
      mcpServers: [],
      _meta: { symposium: { subagent: "ferris" } },
    });
    this.filter.opening();
    // The chain asks for our servers while the request is on its way: before this call returns.
    this.#offer = question.serverFor(session);
    const asked = ask(this.chain.successor, request);
    this.#offer = undefined;
    const opened = asked.then((outcome) => {
      const sessionId = outcome.isError ? undefined : outcome.json.object?.["sessionId"];
      const id = typeof sessionId === "string" ? sessionId : undefined;
      this.filter.opened(id, session);
      return { id, outcome };
    });
    const first = await Promise.race([opened, end.aborted]);
    if (!first) {
      // A session that opens after all is given back.
      void opened.then(({ id }) => {
        session.end();
        if (id !== undefined) void this.#end(id);
      });
      throw this.#givenUp(end);
    }
    if (first.id !== undefined) return first.id;
    throw crateFault(
      `The agent opened no research session: ${errorText(first.outcome)}.`,
      "Use crate_sources, crate_search and crate_item instead.",
    );
  }

  /** Whether the turn ended by itself; false when time was over and something had been handed in. */
  async #prompt(sessionId: string, session: ResearchSession, text: string, end: EndSignal): Promise<boolean> {
    const prompt = [{ type: "text", text }];
    const turn = ask(this.chain.successor, Request.of(acpMethods.sessionPrompt, { sessionId, prompt }));
    const outcome = await Promise.race([turn, end.aborted]);
    if (!outcome) {
      this.chain.successor.notify(Notification.of(acpMethods.sessionCancel, { sessionId }));
      using grace = new EndSignal([], cancelGraceMs);
      await Promise.race([turn, grace.aborted]);
      if (end.isTimeout && session.answer !== "") return false;
      throw this.#givenUp(end);
    }
    if (session.answer !== "") return true;
    const reason = outcome.isError
      ? errorText(outcome)
      : `it ended with "${String(outcome.json.object?.["stopReason"])}"`;
    throw crateFault(
      `The research brought no answer: ${reason}.`,
      "Ask a smaller question, or use crate_search and crate_item.",
    );
  }

  /** Ends the session, and has it deleted where the agent can, so that the user's list of sessions does not show it. */
  async #end(sessionId: string): Promise<void> {
    for (const method of this.#endMethods) {
      const outcome = await ask(this.chain.successor, Request.of(method, { sessionId }));
      if (outcome.isError)
        this.logger.debug("a research session was not ended", { method, problem: errorText(outcome) });
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

function errorText(outcome: Outcome): string {
  const message = outcome.json.object?.["message"];
  return outcome.isError && typeof message === "string" ? message : "its answer has no session id";
}

function memberAt(value: unknown, ...keys: readonly string[]): unknown {
  let member = value;
  for (const key of keys) {
    if (typeof member !== "object" || member === null || !(key in member)) return undefined;
    member = (member as Record<string, unknown>)[key];
  }
  return member ?? undefined;
}
