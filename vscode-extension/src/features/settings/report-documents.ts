import { type Disposable, EventEmitter, Uri, ViewColumn, window, workspace } from "vscode";

const scheme = "symposium-report";

/** Shows texts as documents that cannot be changed, and close without a question. */
export class ReportDocuments implements Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new EventEmitter<Uri>();
  readonly #registration = workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: this.#changed.event,
    provideTextDocumentContent: (uri) => this.#texts.get(uri.path) ?? "",
  });

  /** Opens the text, or replaces the one that was shown under this name. */
  async show(name: string, text: string): Promise<void> {
    const uri = Uri.from({ scheme, path: name });
    this.#texts.set(uri.path, text);
    this.#changed.fire(uri);
    await window.showTextDocument(await workspace.openTextDocument(uri), {
      preview: true,
      viewColumn: ViewColumn.Active,
    });
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
