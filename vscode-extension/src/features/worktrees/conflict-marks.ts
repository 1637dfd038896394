import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Review } from "../review/review.js";
import { parseOpaque } from "../review/hunks/opaque-text.js";
import { placeOf, taken, theirAnswer } from "./conflict-place.js";
import { askWhole, isStanding } from "./conflict-questions.js";
import type { ConflictStore, MarkedConflict } from "./conflict-store.js";
import { OpenConflicts } from "./open-conflicts.js";

export class ConflictMarks implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #look = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("merge.currentContentBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.currentContentForeground"),
  });
  readonly #disposables: readonly { dispose(): unknown }[];
  readonly #open: OpenConflicts;

  constructor(
    private readonly review: () => Review,
    store: ConflictStore,
  ) {
    this.#open = new OpenConflicts(store, () => this.#refresh());
    this.#disposables = [
      this.#lenses,
      this.#look,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#open.list.some(({ path }) => path === document.uri.fsPath)) this.#refresh();
      }),
      vscode.commands.registerCommand("symposium.worktree.takeTheirs", (id: unknown) => this.take(id)),
      vscode.commands.registerCommand("symposium.worktree.leaveMine", (id: unknown) => this.leave(id)),
      vscode.commands.registerCommand("symposium.worktree.compareConflict", (id: unknown) => this.#compare(id)),
    ];
  }

  async restore(): Promise<void> {
    await this.#open.restore();
    await this.#askAgain(this.#open.list);
  }

  async adopt(other: ConflictStore): Promise<void> {
    await this.#askAgain(await this.#open.adopt(other));
  }

  mark(...merge: Parameters<OpenConflicts["mark"]>): readonly MarkedConflict[] {
    return this.#open.mark(...merge);
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.#placesIn(document).flatMap(({ conflict, start }) => {
      const line = Math.min(start, document.lineCount - 1);
      const range = new vscode.Range(line, 0, line, 0);
      const lens = (title: string, tooltip: string, command: string): vscode.CodeLens =>
        new vscode.CodeLens(range, {
          title,
          tooltip,
          command: `symposium.worktree.${command}`,
          arguments: [conflict.id],
        });
      const { name, theirs } = conflict;
      const effect =
        theirs === null
          ? l10n.t("The worktree deleted this file. Delete it here and review the deletion")
          : l10n.t("Use the worktree's lines here and review the change");
      return [
        lens(
          l10n.t("$(warning)  Conflict with {0}", name),
          l10n.t("Both sides changed these lines. Yours are shown here; compare the files"),
          "compareConflict",
        ),
        lens(theirAnswer(conflict), effect, "takeTheirs"),
        lens(l10n.t("Keep Mine"), l10n.t("Removes the mark and changes nothing"), "leaveMine"),
      ];
    });
  }

  async take(id: unknown): Promise<void> {
    const conflict = this.#open.list.find((one) => one.id === id);
    if (!conflict) return;
    const { answers } = this.review();
    const { text: now } = await answers.learn(conflict.path);
    const text = now === undefined ? undefined : taken(conflict, now);
    if (now === undefined || text === undefined) {
      const message = l10n.t("These lines have changed since the conflict was found. Merge the worktree again.");
      void vscode.window.showWarningMessage(message);
      return;
    }
    const refusals = await answers.restore(conflict.tabId, [{ path: conflict.path, now, text, hasOthers: true }]);
    this.review().report(refusals, [conflict.path]);
    if (refusals.length === 0) this.leave(id);
  }

  leave(id: unknown): void {
    this.#open.remove(id);
  }

  dispose(): void {
    for (const one of this.#disposables) one.dispose();
  }

  async #askAgain(conflicts: readonly MarkedConflict[]): Promise<void> {
    const standing = await Promise.all(conflicts.map(async (one) => ((await isStanding(one)) ? [one] : [])));
    void askWhole(this, standing.flat(), {});
  }

  #placesIn(document: vscode.TextDocument): { conflict: MarkedConflict; start: number; end: number }[] {
    const own = this.#open.list.filter(({ path }) => document.uri.scheme === "file" && path === document.uri.fsPath);
    return own.flatMap((conflict) => {
      const place = placeOf(conflict, document.getText());
      return place ? [{ conflict, ...place }] : [];
    });
  }

  async #compare(id: unknown): Promise<void> {
    const conflict = this.#open.list.find((one) => one.id === id);
    if (!conflict) return;
    const [mine, theirs] = [conflict.path, conflict.theirFile].map((path) => vscode.Uri.file(path));
    if (!mine || !theirs || conflict.theirs === null || parseOpaque(conflict.theirs)) return;
    const title = l10n.t("{0} (here ↔ in {1})", vscode.workspace.asRelativePath(mine), conflict.name);
    await vscode.commands.executeCommand("vscode.diff", mine, theirs, title, { preview: true });
  }

  #refresh(): void {
    this.#lenses.fire();
    this.#draw();
  }

  #draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const places = this.#placesIn(editor.document);
      editor.setDecorations(
        this.#look,
        places.map(({ start, end }) => new vscode.Range(start, 0, Math.max(start, end - 1), 0)),
      );
    }
  }
}
