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
  /** Opens the language servers without starting any. Called again after a failure. */
  readonly open: () => Promise<LanguageServers>;
  /** Time limit of an answer; default one minute. */
  readonly timeoutMs?: number;
}

interface Opened {
  readonly servers: LanguageServers;
  readonly texts: EditorTexts;
}

/** Operations that return edits, which are valid only for one state of all texts. */
const edits: ReadonlySet<IdeOperationName> = new Set(["rename", "resolveCodeAction", "format"]);
const maxAttempts = 3;
const defaultTimeoutMs = 60_000;

/** Symposium's language servers for languages that the editor doesn't support. They see the editor's unsaved texts. */
export class FallbackServers implements AsyncDisposable {
  #opening: Promise<Opened> | undefined;
  #isClosed = false;
  #isUsed = false;

  constructor(private readonly parts: FallbackServersParts) {}

  /** Whether any operation was run. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Finds the installed language server for a document. Rejects with `cancelled` if `signal` is aborted. */
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

  /** Runs an operation on the language servers. Rejects as {@link IdeOperations.run} does. */
  async run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    const { timeoutMs = defaultTimeoutMs } = this.parts;
    using limit = linkedSignal([signal], timeoutMs);
    try {
      return await untilAborted(this.#ask(name, params, limit.signal), limit.signal);
    } catch (fault) {
      if (signal.aborted) throw new SymposiumError("cancelled", `"${name}" was cancelled.`);
      if (!limit.isLate) throw fault;
      const message = `"${name}" failed: no answer in ${timeoutMs / 1_000} s`;
      throw new SymposiumError("ide-operation-failed", message, "Ask again, or ask for less at once.");
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
    const message = `"${name}" failed: documents are being edited`;
    throw new SymposiumError("ide-operation-failed", message, "Ask again in a moment.");
  }

  #open(): Promise<Opened> {
    if (this.#isClosed) return Promise.reject(new SymposiumError("cancelled", "The session has ended."));
    if (this.#opening) return this.#opening;
    const { editor, open } = this.parts;
    const opening = open().then((servers) => ({ servers, texts: new EditorTexts(editor, servers) }));
    this.#opening = opening;
    // Allows a retry after a failure.
    opening.catch(() => (this.#opening = undefined));
    return opening;
  }
}

/** Operations that an editor must support so that its unsaved texts are known. */
export const unsavedTextOperations: readonly IdeOperationName[] = ["openFiles", "readDocument"];

/** Sends the editor's unsaved texts to Symposium's language servers. */
class EditorTexts {
  /** Texts by URI that override the files on disk. */
  readonly #shown = new Map<string, string>();
  #revision = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Update that hasn't started yet, so that it will see the editor's current texts. */
  #next: Promise<number> | undefined;

  constructor(
    private readonly editor: IdeOperations,
    private readonly servers: IdeOperations,
  ) {}

  /** Updates the servers to the editor's current texts. Resolves with a revision number that changes with every text change. */
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
    // Has its own signal, since several callers share this and each may cancel separately.
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
