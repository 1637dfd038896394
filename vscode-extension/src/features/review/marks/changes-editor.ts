import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { baselineUri } from "./baseline-documents.js";
import type { ReviewBook, ReviewedFile } from "../review-book.js";

/** Multi-file diff editor. Closes once all its changes are answered. */
export class ChangesEditor {
  readonly #title = l10n.t("Changes to Review");
  #shown: readonly string[] = [];

  constructor(private readonly book: Pick<ReviewBook, "isOpen">) {}

  async open(files: readonly ReviewedFile[]): Promise<void> {
    this.#shown = files.map(({ path }) => path);
    const resources = files.map(({ path, review: { state } }) => {
      const file = vscode.Uri.file(path);
      return [file, state === "created" ? undefined : baselineUri(path), state === "deleted" ? undefined : file];
    });
    await vscode.commands.executeCommand("vscode.changes", this.#title, resources);
  }

  changed(): void {
    if (this.#shown.length === 0 || this.#shown.some((path) => this.book.isOpen(path))) return;
    this.#shown = [];
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    // Find the tab by its title, to which VS Code appends the file count. There is no stable input type for multi-file diff editors.
    const own = tabs.filter(
      ({ label, input, isDirty }) => !isDirty && !isOfFile(input) && label.startsWith(this.#title),
    );
    if (own.length > 0) void vscode.window.tabGroups.close(own, true);
  }
}

function isOfFile(input: unknown): boolean {
  return [vscode.TabInputText, vscode.TabInputCustom, vscode.TabInputNotebook].some((type) => input instanceof type);
}
