import { linkedSignal } from "../../../base/linked-signal.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { untilAborted } from "../../../base/until-aborted.js";
import type { IdeOperations } from "../../../ide-operations/ide-operations.js";
import type { LanguageServers, ServerFinding } from "../../../ide-operations/lsp-adapter-module.js";
import type { IdeParams, IdeResult } from "../../../ide-operations/operation-types.js";
import type { IdeOperationName } from "../../../ide-operations/wire.js";
import { EditorTexts } from "./editor-texts.js";

interface StandInParts {
  readonly editor: IdeOperations;
  /** Starts nothing. Called again when it failed. */
  readonly open: () => Promise<LanguageServers>;
  /** How long one answer may take; a minute when absent. */
  readonly timeoutMs?: number;
}

interface Opened {
  readonly servers: LanguageServers;
  readonly texts: EditorTexts;
}

/** An edit is for one state of all texts. */
const edits: ReadonlySet<IdeOperationName> = new Set(["rename", "resolveCodeAction", "format"]);
const maxAttempts = 3;
const defaultTimeoutMs = 60_000;

/** Language servers of our own in the place of an editor that lacks some: they see the texts that the editor has. */
export class StandIn implements AsyncDisposable {
  #opening: Promise<Opened> | undefined;
  #isClosed = false;
  #isUsed = false;

  constructor(private readonly parts: StandInParts) {}

  /** Whether a question has been put to it. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** What is installed for a document. Rejects with `cancelled` when `signal` was aborted. */
  async find(uri: string, signal: AbortSignal): Promise<ServerFinding> {
    try {
      return await untilAborted(
        this.#open().then(({ servers }) => servers.findServer(uri)),
        signal,
      );
    } catch (fault) {
      throw signal.aborted ? new SymposiumError("cancelled", "The question was cancelled.") : fault;
    }
  }

  /** Asks the language servers. Rejects as {@link IdeOperations.run} does. */
  async run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    const { timeoutMs = defaultTimeoutMs } = this.parts;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const end = linkedSignal([signal, late.signal]);
    try {
      return await untilAborted(this.#ask(name, params, end.signal), end.signal);
    } catch (fault) {
      if (signal.aborted) throw new SymposiumError("cancelled", `"${name}" was cancelled.`);
      if (!late.signal.aborted) throw fault;
      const message = `"${name}" failed: no answer in ${timeoutMs / 1_000} s`;
      throw new SymposiumError("ide-operation-failed", message, "Ask again, or ask for less at once.");
    } finally {
      clearTimeout(timer);
      end.release();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opening?.catch(() => undefined);
    await opened?.servers[Symbol.asyncDispose]();
  }

  async #ask<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    if (signal.aborted) throw new SymposiumError("cancelled", `"${name}" was cancelled.`);
    const { servers, texts } = await this.#open();
    this.#isUsed = true;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const before = await texts.follow();
      const answer = await servers.run(name, params, signal);
      if (!edits.has(name) || (await texts.follow()) === before) return answer;
    }
    const message = `"${name}" failed: texts are being edited at this moment`;
    throw new SymposiumError("ide-operation-failed", message, "Ask again in a moment.");
  }

  #open(): Promise<Opened> {
    if (this.#isClosed) return Promise.reject(new SymposiumError("cancelled", "The session has ended."));
    if (this.#opening) return this.#opening;
    const { editor, open } = this.parts;
    const opening = open().then((servers) => ({ servers, texts: new EditorTexts(editor, servers) }));
    this.#opening = opening;
    // What failed is tried again by the next question.
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }
}
