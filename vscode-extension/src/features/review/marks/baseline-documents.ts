import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { FileText } from "../hunks/file-review.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import type { PlannedRestore } from "../review-answers.js";
import type { ReviewBook } from "../review-book.js";
import { hasOtherWriter } from "../turns/writer-names.js";

export const baselineScheme = "symposium-baseline";

/** Maximum number of extra texts stored for open editors. Older ones appear empty. */
const maxShown = 50;

export function baselineUri(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: baselineScheme });
}

export class BaselineDocuments implements vscode.TextDocumentContentProvider {
  readonly #book: ReviewBook;
  readonly #shown = new Map<string, string>();
  #lastShown = 0;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#changed.event;

  constructor(book: ReviewBook) {
    this.#book = book;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    if (uri.query !== "") return this.#shown.get(uri.query) ?? "";
    const path = uri.with({ scheme: "file" }).fsPath;
    const baseline = this.#book.find(path)?.review.baseline ?? "";
    return parseOpaque(baseline) ? "" : baseline;
  }

  show(path: string, text: string): vscode.Uri {
    const id = String(++this.#lastShown);
    this.#shown.set(id, text);
    for (const old of [...this.#shown.keys()].slice(0, -maxShown)) this.#shown.delete(old);
    return baselineUri(path).with({ query: id });
  }

  isOfAgents(paths: readonly string[]): boolean {
    return !paths.some((path) => hasOtherWriter(this.#book.find(path)?.tabIds ?? new Set()));
  }

  changed(path: string): void {
    this.#changed.fire(baselineUri(path));
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

export async function showPlannedRestore(
  texts: BaselineDocuments,
  files: readonly PlannedRestore[],
  title = l10n.t("Now ↔ before the prompt"),
): Promise<void> {
  const resources = files
    .filter(({ now, text }) => !parseOpaque(now) && !parseOpaque(text))
    .map(({ path, now, text }) => {
      const file = vscode.Uri.file(path);
      return [file, now === null ? undefined : file, text === null ? undefined : texts.show(path, text)];
    });
  await vscode.commands.executeCommand("vscode.changes", title, resources);
}

/** Shows a diff between a file's earlier and current content. Null means that the file didn't exist. */
export async function showBesideBefore(
  texts: BaselineDocuments,
  path: string,
  before: FileText,
  now: FileText,
  title: string,
): Promise<void> {
  const right = now === null ? texts.show(path, "") : vscode.Uri.file(path);
  await vscode.commands.executeCommand("vscode.diff", texts.show(path, before ?? ""), right, title, { preview: true });
}
