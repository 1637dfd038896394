import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import * as z from "zod/mini";
import {
  type Diagnostic,
  type FileDiagnostics,
  type IdeOperationHandlers,
  isDoneWithin,
  maxIdeItems,
  pathOfFileUri,
  type RelatedPlace,
  type Severity,
  normalFileUri,
} from "@symposium-dev/core";
import { isInside } from "@symposium-dev/core/node";
import type { EditorDocument } from "./editor.js";
import type { Workspace } from "./languages.js";
import { toLocation, toRange, toUri } from "./places.js";

export interface DiagnosticsSource {
  all(): readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[];
  of(uri: string): readonly vscode.Diagnostic[];
  check(document: EditorDocument): Promise<readonly Diagnostic[] | undefined>;
  onChanged(listener: (uris: readonly vscode.Uri[]) => void): Disposable;
  onEdited(listener: (uri: vscode.Uri) => void): Disposable;
}

interface DiagnosticsTimes {
  /** Maximum time in milliseconds that a request waits for a check. */
  readonly waitMs: number;
  /** Time after which a silent extension is assumed to have no diagnostics. */
  readonly silenceMs: number;
}

/** Edit after which no diagnostics were reported yet. */
interface Unchecked {
  readonly since: number;
  readonly checked: Promise<void>;
  readonly settle: () => void;
}

const usualTimes: DiagnosticsTimes = { waitMs: 3_000, silenceMs: 10_000 };
const maxTouched = 50;
/** VS Code's TypeScript extension publishes diagnostics only for visible documents; for all other documents, request the diagnostics. */
const askedSources = new Set(["ts", "js", "typescript", "javascript"]);

export class DocumentDiagnostics implements Disposable {
  readonly #id = randomUUID().slice(0, 8);
  readonly #changed = new Map<string, number>();
  readonly #answers = new Map<string, readonly Diagnostic[]>();
  readonly #unchecked = new Map<string, Unchecked>();
  readonly #touched = new Set<string>();
  readonly #subscriptions: readonly Disposable[];
  #sequence = 0;

  constructor(
    private readonly source: DiagnosticsSource,
    private readonly times = usualTimes,
  ) {
    this.#subscriptions = [
      source.onChanged((uris) => {
        for (const uri of uris.map(toUri)) this.#spoken(uri);
      }),
      source.onEdited((uri) => this.#edited(toUri(uri))),
    ];
  }

  /** Identifies the current state of all diagnostics. */
  get cursor(): string {
    return `${this.#id}-${this.#sequence}`;
  }

  get touched(): readonly string[] {
    return [...this.#touched];
  }

  get files(): readonly string[] {
    return [
      ...new Set([...this.source.all().map(([uri]) => toUri(uri)), ...this.#answers.keys(), ...this.#changed.keys()]),
    ];
  }

  /** Returns whether a file's diagnostics changed since `cursor`; true for a cursor of another window. */
  hasChanged(uri: string, cursor: string | undefined): boolean {
    const [id, sequence] = cursor?.split("-") ?? [];
    return id !== this.#id || (this.#changed.get(uri) ?? 0) > Number(sequence);
  }

  /** Returns whether diagnostics for the latest text may still arrive. */
  isPending(uri: string): boolean {
    const unchecked = this.#unchecked.get(uri);
    return unchecked !== undefined && Date.now() - unchecked.since < this.times.silenceMs;
  }

  of(uri: string): readonly Diagnostic[] {
    const answer = this.#answers.get(uri);
    const spoken = this.source.of(uri).map(toDiagnostic);
    if (!answer) return spoken;
    return [...answer, ...spoken.filter(({ source }) => !askedSources.has(source ?? ""))];
  }

  async check(document: EditorDocument, isNew: boolean): Promise<void> {
    const uri = toUri(document.uri);
    this.#touch(uri);
    const answer = await this.source.check(document);
    if (answer) {
      if (JSON.stringify(answer) !== JSON.stringify(this.#answers.get(uri) ?? []))
        this.#changed.set(uri, ++this.#sequence);
      this.#answers.set(uri, answer);
      this.#settle(uri);
      return;
    }
    if (isNew && this.source.of(uri).length === 0 && !this.#changed.has(uri)) this.#edited(uri);
    const unchecked = this.#unchecked.get(uri);
    if (!unchecked || !this.isPending(uri)) return;
    await isDoneWithin(unchecked.checked, this.times.waitMs);
  }

  expectNothing(uri: string): void {
    this.#settle(uri);
  }

  forget(uri: string): void {
    this.#touched.delete(uri);
    this.#settle(uri);
    if (this.#answers.delete(uri)) this.#changed.set(uri, ++this.#sequence);
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    for (const { settle } of this.#unchecked.values()) settle();
  }

  #spoken(uri: string): void {
    this.#changed.set(uri, ++this.#sequence);
    this.#settle(uri);
  }

  #settle(uri: string): void {
    this.#unchecked.get(uri)?.settle();
    this.#unchecked.delete(uri);
  }

  #edited(uri: string): void {
    this.#settle(uri);
    this.#touch(uri);
    let settle = (): void => undefined;
    const checked = new Promise<void>((resolve) => (settle = resolve));
    this.#unchecked.set(uri, { since: Date.now(), checked, settle });
  }

  #touch(uri: string): void {
    this.#touched.delete(uri);
    this.#touched.add(uri);
    const [oldest] = this.#touched;
    if (this.#touched.size <= maxTouched || oldest === undefined) return;
    this.#touched.delete(oldest);
    this.#answers.delete(oldest);
  }
}

const maxRelated = 20;
/** Severity names, indexed by VS Code's severity numbers. */
const severities: readonly Severity[] = ["error", "warning", "information", "hint"];

export function toDiagnostic({
  range,
  message,
  severity,
  code,
  source,
  relatedInformation,
}: vscode.Diagnostic): Diagnostic {
  const value = typeof code === "object" ? code.value : code;
  const related = (relatedInformation ?? []).slice(0, maxRelated).map(toRelated);
  return {
    range: toRange(range),
    severity: severities[severity] ?? "error",
    message,
    ...(value === undefined ? {} : { code: String(value) }),
    ...(source === undefined ? {} : { source }),
    ...(related.length === 0 ? {} : { related }),
  };
}

function toRelated({ location, message }: vscode.DiagnosticRelatedInformation): RelatedPlace {
  return { location: toLocation(location), message };
}

const place = z.looseObject({ line: z.number(), offset: z.number() });
const tsDiagnostic = z.looseObject({
  start: place,
  end: place,
  text: z.string(),
  code: z.optional(z.number()),
  category: z.optional(z.string()),
  source: z.optional(z.string()),
});
const tsAnswer = z.looseObject({ body: z.array(tsDiagnostic) });

/** Parses the TypeScript server's response; undefined for any other value. */
export function toTypeScriptDiagnostics(answer: unknown): readonly Diagnostic[] | undefined {
  const parsed = tsAnswer.safeParse(answer);
  if (!parsed.success) return undefined;
  return parsed.data.body.map(({ start, end, text, code, category, source = "ts" }) => ({
    range: { start: fromOne(start), end: fromOne(end) },
    severity: category === "warning" ? "warning" : category === "suggestion" ? "hint" : "error",
    message: text,
    ...(code === undefined ? {} : { code: String(code) }),
    source,
  }));
}

function fromOne({ line, offset }: z.infer<typeof place>): { line: number; character: number } {
  return { line: Math.max(line - 1, 0), character: Math.max(offset - 1, 0) };
}

const maxOfFile = 500;

export function diagnosticsOperations(
  { folder, editor, languages }: Workspace,
  documentDiagnostics: DocumentDiagnostics,
): Required<Pick<IdeOperationHandlers, "diagnostics">> {
  const isOfWorkspace = (uri: string): boolean => {
    const path = pathOfFileUri(uri);
    return path !== undefined && isInside(path, folder);
  };

  const opened = async (uri: string, signal: AbortSignal): Promise<EditorDocument | undefined> => {
    try {
      return await editor.open(uri, signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if ((await editor.text(uri)) === null) documentDiagnostics.forget(uri);
      return undefined;
    }
  };

  /** Checks a document. If no extension supports the language, doesn't wait, because no diagnostics will arrive. */
  const look = async (document: EditorDocument, isNew: boolean, signal: AbortSignal): Promise<void> => {
    const { state } = await languages.readiness(document, signal);
    if (state.kind === "degraded") documentDiagnostics.expectNothing(toUri(document.uri));
    else await documentDiagnostics.check(document, isNew);
  };

  return {
    async diagnostics({ uri, since }, signal) {
      const asked = uri === undefined ? documentDiagnostics.touched.filter(isOfWorkspace) : [normalFileUri(uri)];
      const documents =
        uri === undefined
          ? (await Promise.all(asked.map((one) => opened(one, signal)))).filter((document) => document !== undefined)
          : [await editor.open(uri, signal)];
      const state = await languages.folderState(documents, signal);
      await Promise.all(documents.map((document) => look(document, uri !== undefined, signal)));
      const known =
        uri === undefined ? [...new Set([...documentDiagnostics.files.filter(isOfWorkspace), ...asked])] : asked;
      const pending = known.filter((one) => documentDiagnostics.isPending(one));
      const files = known
        .filter((one) => !pending.includes(one) && (since === undefined || documentDiagnostics.hasChanged(one, since)))
        .sort()
        .map((one): FileDiagnostics => ({ uri: one, diagnostics: documentDiagnostics.of(one).slice(0, maxOfFile) }))
        // List a file without problems only if the client asked about this file or its problems were just fixed.
        .filter(({ diagnostics }) => diagnostics.length > 0 || uri !== undefined || since !== undefined);
      return { state, files: files.slice(0, maxIdeItems), pending, cursor: documentDiagnostics.cursor };
    },
  };
}
