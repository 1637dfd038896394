import * as vscode from "vscode";
import type { Review } from "../review/review.js";
import { parseOpaque } from "../review/engine/opaque-text.js";
import { placeOf, taken } from "./conflict-place.js";
import { askWhole } from "./conflict-questions.js";
import type { ConflictStore, MarkedConflict } from "./conflict-store.js";
import type { FileConflict } from "./merge-plan.js";
import { isSolved, isStanding } from "./solved-conflicts.js";
import type { UserGit } from "./user-git.js";

type NewConflict = FileConflict & Pick<MarkedConflict, "found" | "foundAt" | "theirFile">;

/** Marks the lines at which a merge left the main tree as it is, with what can be done about each, until it is done. */
export class ConflictMarks implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #lenses = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#lenses.event;
  readonly #look = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("merge.currentContentBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.currentContentForeground"),
  });
  readonly #disposables: readonly { dispose(): unknown }[];
  #open: readonly MarkedConflict[] = [];
  #lastId = 0;
  #isRestored = false;

  constructor(
    private readonly review: () => Review,
    private readonly store: ConflictStore,
    private readonly git: UserGit,
  ) {
    this.#disposables = [
      this.#lenses,
      this.#look,
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#open.some(({ path }) => path === document.uri.fsPath)) this.#refresh();
      }),
      vscode.commands.registerCommand("symposium.worktree.takeTheirs", (id: unknown) => this.take(id)),
      vscode.commands.registerCommand("symposium.worktree.leaveMine", (id: unknown) => this.leave(id)),
      vscode.commands.registerCommand("symposium.worktree.compareConflict", (id: unknown) => this.#compare(id)),
    ];
  }

  /**
   * Marks what was not answered when the window was last open, and has not been solved by hand since. Rejects where that cannot be
   * read: then nothing is stored.
   */
  async restore(): Promise<void> {
    const left = await this.#leftIn(this.store);
    const isNew = ({ tabId }: MarkedConflict): boolean => !this.#open.some((one) => one.tabId === tabId);
    this.#open = [...left.filter(isNew), ...this.#open];
    this.#isRestored = true;
    this.#changed();
    await this.#askAgain(this.#open);
  }

  /** Takes over what another window, which is gone, left in its store: it is emptied once all of it is stored here. */
  async adopt(other: ConflictStore): Promise<void> {
    if (!this.#isRestored) return;
    const left = await this.#leftIn(other);
    this.#open = [...this.#open, ...left];
    this.#changed();
    await this.store.flush();
    if (this.store.isBehind) return;
    other.save([]);
    await other.flush();
    await this.#askAgain(left);
  }

  /** The conflicts of a merge take the place of those that an earlier one of the same tab left. Returns them with their ids. */
  mark(tabId: string, name: string, conflicts: readonly NewConflict[]): readonly MarkedConflict[] {
    const others = this.#open.filter((one) => one.tabId !== tabId);
    const marked = conflicts.map((one) => ({ ...one, tabId, name, id: ++this.#lastId }));
    this.#open = [...others, ...marked];
    this.#changed();
    return marked;
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
      const { name } = conflict;
      return [
        lens(
          vscode.l10n.t("$(warning)  Conflict with {0}", name),
          vscode.l10n.t("Both sides changed these lines. Yours stand here; compare the files"),
          "compareConflict",
        ),
        lens(vscode.l10n.t("Take Theirs"), vscode.l10n.t("Put the worktree's lines here, for review"), "takeTheirs"),
        lens(vscode.l10n.t("Leave Mine"), vscode.l10n.t("Nothing is changed; the mark goes"), "leaveMine"),
      ];
    });
  }

  /** Puts the worktree's lines, or its file, in the place of a conflict. */
  async take(id: unknown): Promise<void> {
    const conflict = this.#open.find((one) => one.id === id);
    if (!conflict) return;
    const { answers } = this.review();
    const { text: now } = await answers.learn(conflict.path);
    const text = now === undefined ? undefined : taken(conflict, now);
    if (now === undefined || text === undefined) {
      const message = "These lines are not what they were when the conflict was found. Merge the worktree once more.";
      void vscode.window.showWarningMessage(vscode.l10n.t(message));
      return;
    }
    const refusals = await answers.restore(conflict.tabId, [{ path: conflict.path, now, text, hasOthers: true }]);
    if (refusals.length > 0) this.review().report(refusals);
    else this.leave(id);
  }

  /** Takes the mark of a conflict away. */
  leave(id: unknown): void {
    this.#open = this.#open.filter((one) => one.id !== id);
    this.#changed();
  }

  dispose(): void {
    for (const one of this.#disposables) one.dispose();
  }

  async #leftIn(store: ConflictStore): Promise<readonly MarkedConflict[]> {
    const left = await store.load();
    const open = await Promise.all(left.map(async (one) => ((await isSolved(this.git, one)) ? [] : [one])));
    return open.flat().map((conflict) => ({ ...conflict, id: ++this.#lastId }));
  }

  /** About what can still be answered. */
  async #askAgain(conflicts: readonly MarkedConflict[]): Promise<void> {
    const standing = await Promise.all(conflicts.map(async (one) => ((await isStanding(one)) ? [one] : [])));
    void askWhole(this, standing.flat(), {});
  }

  #placesIn(document: vscode.TextDocument): { conflict: MarkedConflict; start: number; end: number }[] {
    const own = this.#open.filter(({ path }) => document.uri.scheme === "file" && path === document.uri.fsPath);
    return own.flatMap((conflict) => {
      const place = placeOf(conflict, document.getText());
      return place ? [{ conflict, ...place }] : [];
    });
  }

  async #compare(id: unknown): Promise<void> {
    const conflict = this.#open.find((one) => one.id === id);
    if (!conflict) return;
    const [mine, theirs] = [conflict.path, conflict.theirFile].map((path) => vscode.Uri.file(path));
    if (!mine || !theirs || conflict.theirs === null || parseOpaque(conflict.theirs)) return;
    const title = vscode.l10n.t("{0} (here ↔ in {1})", vscode.workspace.asRelativePath(mine), conflict.name);
    await vscode.commands.executeCommand("vscode.diff", mine, theirs, title, { preview: true });
  }

  #changed(): void {
    if (this.#isRestored) this.store.save(this.#open);
    this.#refresh();
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
