import { basename } from "node:path";
import { commands, type Disposable, type TextDocumentContentProvider, Uri, workspace } from "vscode";
import type { CallEdit } from "../../acp/session-observer.js";

/** Scheme of documents that show one side of a change as the agent told it. */
const scheme = "symposium-change";
/** Changes whose texts are kept for editors that are still open; beyond that the oldest are shown empty. */
const maxChanges = 50;

/** Shows changes of tool calls in the editor's own diff, also those that are not made yet or any more. */
export class DiffDocuments implements TextDocumentContentProvider, Disposable {
  readonly #registration = workspace.registerTextDocumentContentProvider(scheme, this);
  readonly #changes = new Map<string, CallEdit>();
  #shown = 0;

  async show({ path, oldText = "", newText }: CallEdit): Promise<void> {
    const id = String(++this.#shown);
    this.#changes.set(id, { path, oldText, newText });
    for (const old of [...this.#changes.keys()].slice(0, -maxChanges)) this.#changes.delete(old);
    const side = (name: "before" | "after"): Uri => Uri.file(path).with({ scheme, query: id, fragment: name });
    await commands.executeCommand("vscode.diff", side("before"), side("after"), `${basename(path)} (change)`);
  }

  provideTextDocumentContent({ query, fragment }: Uri): string {
    const change = this.#changes.get(query);
    return (fragment === "before" ? change?.oldText : change?.newText) ?? "";
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
