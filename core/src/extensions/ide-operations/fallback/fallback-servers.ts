import { linkedSignal } from "../../../base/linked-signal.js";
import { SymposiumError } from "../../../base/symposium-error.js";
import { untilAborted } from "../../../base/until-aborted.js";
import { pathOfFileUri, normalFileUri } from "../../../base/file-uri.js";
import type { IdeOperations } from "../../../base/ide-operations/ide-operations.js";
import type { LanguageServers, ServerFinding } from "../../../base/ide-operations/lsp-adapter-module.js";
import type { IdeParams, IdeResult } from "../../../base/ide-operations/operation-types.js";
import type { IdeOperationName } from "../../../base/ide-operations/wire.js";

interface FallbackServersParts {
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
export class FallbackServers implements AsyncDisposable {
  #opening: Promise<Opened> | undefined;
  #isClosed = false;
  #isUsed = false;

  constructor(private readonly parts: FallbackServersParts) {}

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

/** What an editor has to answer, so that its unsaved texts are known. */
export const unsavedTextOperations: readonly IdeOperationName[] = ["openFiles", "readDocument"];

/** Shows language servers of our own the texts that the editor has not saved. */
class EditorTexts {
  /** The texts that stand in front of the disk, by URI. */
  readonly #shown = new Map<string, string>();
  #revision = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Has not begun, so that it sees what the editor has now. */
  #next: Promise<number> | undefined;

  constructor(
    private readonly editor: IdeOperations,
    private readonly servers: IdeOperations,
  ) {}

  /**
   * The servers have the texts that the editor has at this moment, or later ones. Resolves with a number that is another
   * whenever a text was another than before.
   */
  follow(): Promise<number> {
    if (this.#next) return this.#next;
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.#bring();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #bring(): Promise<number> {
    // Several questions wait for it, and each of them may be given up alone.
    const { signal } = new AbortController();
    const { files } = await this.editor.run("openFiles", {}, signal);
    const unsaved = files.filter((file) => file.isUnsaved && pathOfFileUri(file.uri) !== undefined);
    const texts = new Map<string, string>();
    for (const { uri } of unsaved) {
      const { text } = await this.editor.run("readDocument", { uri }, signal);
      if (text !== null) texts.set(normalFileUri(uri), text);
    }
    for (const [uri, text] of texts) if (this.#shown.get(uri) !== text) await this.#show(uri, text, signal);
    for (const uri of [...this.#shown.keys()]) if (!texts.has(uri)) await this.#show(uri, null, signal);
    return this.#revision;
  }

  async #show(uri: string, text: string | null, signal: AbortSignal): Promise<void> {
    this.#revision++;
    await this.servers.run("setDocument", { uri, text }, signal);
    if (text === null) this.#shown.delete(uri);
    else this.#shown.set(uri, text);
  }
}
