import { setTimeout as pause } from "node:timers/promises";
import type { OperationState } from "@symposium-dev/core";
import type { Editor, EditorDocument } from "./editor.js";

/** How far what a language's extensions say can be trusted. */
interface Readiness {
  readonly state: OperationState;
  /** They serve the language since so little time that they may still be reading the workspace without saying so. */
  readonly isYoung: boolean;
}

interface LanguageTimes {
  /** How long a question waits for an extension that starts, or that reads a project. */
  readonly startMs: number;
  /** How long after its start an extension may still be reading. */
  readonly youngMs: number;
  /** How long a question to a young extension is asked again until the answer stays the same. */
  readonly settleMs: number;
  readonly againMs: number;
}

/** In a window of VS Code. */
export const usualTimes: LanguageTimes = { startMs: 25_000, youngMs: 45_000, settleMs: 5_000, againMs: 500 };
const ready: OperationState = { kind: "ready" };
const loading: OperationState = { kind: "loading" };

/** VS Code's TypeScript answers the question of `#probe` when it has read the project, and not before. */
const heldUntilRead = new Set(["typescript", "typescriptreact", "javascript", "javascriptreact"]);

/** Extensions for languages that VS Code itself does not serve. */
const knownExtensions: Readonly<Record<string, string>> = {
  c: "llvm-vs-code-extensions.vscode-clangd",
  cpp: "llvm-vs-code-extensions.vscode-clangd",
  csharp: "ms-dotnettools.csharp",
  go: "golang.go",
  java: "redhat.java",
  php: "bmewburn.vscode-intelephense-client",
  python: "ms-python.python",
  ruby: "shopify.ruby-lsp",
  rust: "rust-lang.rust-analyzer",
};

/**
 * Whether the extensions that serve a language are there and have read the workspace. VS Code has no word for this: it
 * is told by whether they run, whether they answer at all, and whether their answers stay the same.
 */
export class Languages {
  readonly #probes = new WeakMap<EditorDocument, Promise<unknown>>();
  readonly #served = new Set<string>();
  readonly #firstAsked = new Map<string, number>();

  /** `mayAskOthers`: whether another one than the editor may be asked about a language that nobody serves. */
  constructor(
    private readonly editor: Editor,
    private readonly times = usualTimes,
    private readonly mayAskOthers: () => boolean = () => true,
  ) {}

  /** Waits a while for extensions that start. */
  async readiness(document: EditorDocument, signal: AbortSignal): Promise<Readiness> {
    const { languageId } = document;
    const extensions = this.editor.extensionsFor(languageId);
    const starting = extensions.map((extension) => extension.started());
    const isUp = await inTime(
      Promise.all(starting).then(() => this.#probe(document)),
      this.times.startMs,
      signal,
    );
    if (!isUp) return { state: loading, isYoung: true };
    if (heldUntilRead.has(languageId) && extensions.length > 0) return { state: ready, isYoung: false };
    if (!this.#served.has(languageId) && (await this.#outline(document)) !== undefined) this.#served.add(languageId);
    const isServed = this.#served.has(languageId);
    const isYoung = this.#isYoung(languageId);
    if (isServed) return { state: ready, isYoung };
    if (isYoung && extensions.length > 0) return { state: loading, isYoung };
    const names = extensions.map(({ name }) => name);
    return {
      state:
        names.length > 0
          ? { kind: "degraded", reason: silent(names) }
          : { kind: "degraded", reason: missing(languageId), ...(this.mayAskOthers() && { isUnserved: true }) },
      isYoung: false,
    };
  }

  /**
   * The answer to a question about a document, asked again while a young extension may know more. `isWhole`: the list
   * is right only as a whole, so that it counts as ready when it stays the same.
   */
  async answer<T>(
    question: { readonly document: EditorDocument; readonly signal: AbortSignal; readonly isWhole?: boolean },
    ask: () => Promise<readonly T[]>,
  ): Promise<{ readonly items: readonly T[]; readonly state: OperationState }> {
    const { document, signal, isWhole = false } = question;
    const { state, isYoung } = await this.readiness(document, signal);
    let items = await ask();
    if (state.kind !== "ready" || !isYoung) return { items, state };
    const end = Date.now() + this.times.settleMs;
    while (Date.now() < end) {
      if (items.length > 0 && !isWhole) return { items, state };
      await pause(this.times.againMs, undefined, { signal });
      const again = await ask();
      const isSame = JSON.stringify(again) === JSON.stringify(items);
      items = again;
      if (items.length > 0 && isSame) return { items, state };
    }
    return { items, state: loading };
  }

  /** The states of languages with a document of a folder: those that nothing serves do not spoil the others. */
  async folderState(documents: readonly EditorDocument[], signal: AbortSignal): Promise<OperationState> {
    const all = await Promise.all(documents.map((document) => this.readiness(document, signal)));
    const served = all.filter(({ state }) => state.kind !== "degraded");
    if (served.length === 0) return all[0]?.state ?? ready;
    return served.some(({ state, isYoung }) => isYoung || state.kind === "loading") ? loading : ready;
  }

  #isYoung(languageId: string): boolean {
    const since = this.#firstAsked.get(languageId) ?? Date.now();
    this.#firstAsked.set(languageId, since);
    return Date.now() - since < this.times.youngMs;
  }

  /** A question that an extension answers once it can: about nothing, and the same for each document. */
  #probe(document: EditorDocument): Promise<unknown> {
    const known = this.#probes.get(document);
    if (known) return known;
    const start = { line: 0, character: 0 };
    const probe = this.#registered(document)
      .then(() => this.editor.ask("vscode.prepareCallHierarchy", document.uri, start))
      .catch(() => undefined);
    this.#probes.set(document, probe);
    return probe;
  }

  /**
   * Waits until VS Code's TypeScript, which has started, also answers: it registers itself some time later, and before that
   * nobody holds the answer to the question of `#probe`. Its outlines come last; of an empty document it has none.
   */
  async #registered(document: EditorDocument): Promise<void> {
    const { languageId } = document;
    if (!heldUntilRead.has(languageId) || this.editor.extensionsFor(languageId).length === 0) return;
    for (const end = Date.now() + this.times.settleMs; !this.#served.has(languageId) && Date.now() < end;) {
      if ((await this.#outline(document)) !== undefined) this.#served.add(languageId);
      else await pause(this.times.againMs);
    }
  }

  /** VS Code's only question whose answer tells "nobody" from "nothing". */
  #outline(document: EditorDocument): Promise<unknown> {
    return this.editor.ask("vscode.executeDocumentSymbolProvider", document.uri).catch(() => undefined);
  }
}

function silent(names: readonly string[]): string {
  return `${names.join(", ")}: installed in VS Code, but without an answer about this document.`;
}

function missing(languageId: string): string {
  const extension = knownExtensions[languageId];
  const remedy = extension === undefined ? "an extension for it" : `the extension ${extension}`;
  return `No installed extension of VS Code serves the language "${languageId}". Install ${remedy}.`;
}

async function inTime(work: Promise<unknown>, limitMs: number, signal: AbortSignal): Promise<boolean> {
  const timer = new AbortController();
  const end = AbortSignal.any([timer.signal, signal]);
  const late = pause(limitMs, false, { signal: end }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return isDone;
}

/** What the operations of one folder work with. */
export interface Workspace {
  /** Absolute path. */
  readonly folder: string;
  readonly editor: Editor;
  readonly languages: Languages;
}
