import { setTimeout as pause } from "node:timers/promises";
import type { OperationState } from "@symposium-dev/core";
import type { Editor, EditorDocument } from "./editor.js";

interface Readiness {
  readonly state: OperationState;
  /** True if the extensions started so recently that they may still be indexing without reporting it. */
  readonly isYoung: boolean;
}

interface LanguageTimes {
  /** Maximum wait for an extension that is starting or reading a project. */
  readonly startMs: number;
  /** Time after the first request in which an extension may still be indexing. */
  readonly youngMs: number;
  /** Time in which a young extension's answer is requested again until it is stable. */
  readonly settleMs: number;
  readonly againMs: number;
}

export const usualTimes: LanguageTimes = { startMs: 25_000, youngMs: 45_000, settleMs: 5_000, againMs: 500 };
const ready: OperationState = { kind: "ready" };
const loading: OperationState = { kind: "loading" };

/** Languages for which VS Code's TypeScript extension answers the `#probe` request only after it has read the project. */
const heldUntilRead = new Set(["typescript", "typescriptreact", "javascript", "javascriptreact"]);

/** Suggested extensions for languages without built-in support. */
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
 * Estimates whether a language's extensions are running and have read the workspace. VS Code has no API for this, so the estimate depends
 * on whether the extensions run, answer at all, and give stable answers.
 */
export class Languages {
  readonly #probes = new WeakMap<EditorDocument, Promise<unknown>>();
  readonly #served = new Set<string>();
  readonly #firstAsked = new Map<string, number>();

  constructor(
    private readonly editor: Editor,
    private readonly times = usualTimes,
    private readonly mayAskOthers: () => boolean = () => true,
  ) {}

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
   * Repeats a request until the answer of an extension that has just started is stable. With `isWhole`, even a non-empty list must be
   * stable, because a partial list would be wrong.
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

  /** Returns the combined state of the documents' languages. Languages without an extension are ignored if others have one. */
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

  /** Sends a request that has no effect and that an extension answers once it is ready. Sends it only once for each document. */
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
   * Waits until VS Code's TypeScript has registered its providers, which happens after its start; before that, `#probe` would return at
   * once. The outline provider is registered last and returns nothing for an empty document.
   */
  async #registered(document: EditorDocument): Promise<void> {
    const { languageId } = document;
    if (!heldUntilRead.has(languageId) || this.editor.extensionsFor(languageId).length === 0) return;
    for (const end = Date.now() + this.times.settleMs; !this.#served.has(languageId) && Date.now() < end;) {
      if ((await this.#outline(document)) !== undefined) this.#served.add(languageId);
      else await pause(this.times.againMs);
    }
  }

  /** The only VS Code request whose result distinguishes "no provider" from "empty". */
  #outline(document: EditorDocument): Promise<unknown> {
    return this.editor.ask("vscode.executeDocumentSymbolProvider", document.uri).catch(() => undefined);
  }
}

function silent(names: readonly string[]): string {
  return `${names.join(", ")}: installed in VS Code, but returned nothing for this document.`;
}

function missing(languageId: string): string {
  const extension = knownExtensions[languageId];
  const remedy = extension === undefined ? "an extension for it" : `the extension ${extension}`;
  return `No installed VS Code extension supports the language "${languageId}". Install ${remedy}.`;
}

async function inTime(work: Promise<unknown>, limitMs: number, signal: AbortSignal): Promise<boolean> {
  const timer = new AbortController();
  const end = AbortSignal.any([timer.signal, signal]);
  const late = pause(limitMs, false, { signal: end }).catch(() => false);
  const isDone = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return isDone;
}

export interface Workspace {
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  readonly editor: Editor;
  readonly languages: Languages;
}
