import * as l10n from "@vscode/l10n";
import { isInside } from "@symposium-dev/core/node";
import * as vscode from "vscode";
import { outermost } from "../../snapshots/snapshots.js";
import { AllChanges } from "./find-unreported-changes.js";
import type { OpenDocuments } from "../files/open-documents.js";
import { EditorChanges, isUnsaved } from "../files/editor-changes.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import { GitWork } from "../files/changes-by-git.js";
import type { ReviewAnswers } from "../review-answers.js";
import type { ReviewBook } from "../review-book.js";
import type { ReviewTurns } from "../turns/review-turns.js";
import type { SnapshotTurn } from "../turns/snapshot-turn.js";

interface AllChangesModeOptions {
  readonly storeFile: string;
  readonly book: ReviewBook;
  readonly answers: ReviewAnswers;
  readonly turns: ReviewTurns;
  readonly texts: OpenDocuments;
  readonly snapshots: Parameters<typeof SnapshotTurn.begin>[1];
  readonly stored: () => Promise<boolean>;
  readonly onUnseen: (count: number) => void;
  readonly onProblem: (error: unknown) => void;
}

export class AllChangesMode implements vscode.Disposable {
  readonly #all: AllChanges;
  readonly #editor = new EditorChanges(
    (change) => this.#all.edited(change),
    (path) => this.#all.editedBefore(path),
  );
  readonly #status = vscode.window.createStatusBarItem("symposium.allChanges", vscode.StatusBarAlignment.Right, 89);
  readonly #disposables: readonly { dispose(): unknown }[];

  constructor(private readonly options: AllChangesModeOptions) {
    const { answers, book, onProblem, onUnseen, snapshots, stored, storeFile, texts, turns } = options;
    const editor = this.#editor;
    this.#all = new AllChanges({
      storeFile,
      roots: watchedFolders,
      snapshots,
      files: {
        look: (path) => texts.look(path),
        asLink: (path) => texts.asLink(path),
        wasMarked: (path, text) => texts.wasMarked(path, text),
        truth: (path) => texts.truth(path),
        typed: (path) => editor.typed(path),
        isUnsaved,
      },
      // A repository can name programs that git runs for comparisons, so require trust.
      git: new GitWork(() => vscode.workspace.isTrusted, watchedFolders),
      review: {
        alone: (path, work) => answers.alone(path, work),
        current: (path) => book.current(path),
        get hasTurn() {
          return turns.hasRunning;
        },
        mayBeOfTurn: (truth) => turns.mayHaveMade(truth),
        settled: () => turns.settled(),
        changed: (writer, path, before, after) => {
          turns.noteOthers(path);
          turns.record(writer, path, before, after);
        },
        attributesChanged: (...change) => book.attributesChanged(...change),
        stored,
        unseen: onUnseen,
      },
      onSwitched: () => this.#switched(),
      onProblem,
    });
    this.#status.name = l10n.t("Review All Changes");
    this.#status.command = "symposium.review.listFiles";
    const { own } = this.#all;
    this.#disposables = [
      this.#status,
      vscode.workspace.onDidOpenTextDocument((document) => this.isOn && editor.opened(document)),
      vscode.workspace.onDidSaveTextDocument((document) => void this.#saved(document)),
      vscode.workspace.onDidCreateFiles(({ files }) => files.forEach(({ fsPath }) => own.placed(fsPath))),
      vscode.workspace.onDidDeleteFiles(({ files }) => files.forEach(({ fsPath }) => own.placed(fsPath))),
      vscode.workspace.onDidRenameFiles(({ files }) =>
        files.flatMap(({ oldUri, newUri }) => [oldUri, newUri]).forEach(({ fsPath }) => own.placed(fsPath)),
      ),
      vscode.workspace.onDidChangeWorkspaceFolders(() => void this.#all.noticed()),
    ];
  }

  get isOn(): boolean {
    return this.#all.isOn;
  }

  async restore(): Promise<void> {
    await this.#all.restore();
  }

  async adopt(storeFile: string): Promise<void> {
    await this.#all.adopt(storeFile);
  }

  tookOver(): void {
    this.#all.tookOver();
  }

  async toggle(): Promise<void> {
    if (this.isOn) await this.#all.switchOff();
    else {
      // Record each file's current content, which becomes the file's baseline.
      for (const path of this.options.book.paths()) await this.options.answers.learn(path);
      if (await this.#all.switchOn()) return;
      const text = l10n.t(
        'To review all changes, open a folder and turn on "symposium.snapshots". The home folder itself is not watched.',
      );
      void vscode.window.showWarningMessage(text);
    }
  }

  noticed(): Promise<void> {
    return this.#all.noticed();
  }

  /** Resolves when all noticed changes are under review. */
  settled(): Promise<void> {
    return this.#all.settled();
  }

  /** Returns whether VS Code or an extension made a document change, which will then be reported to the review. */
  isOfEditor(event: vscode.TextDocumentChangeEvent): boolean {
    const path = event.document.uri.fsPath;
    // Only check watched folders, because VS Code also writes its settings files through documents.
    const isWatched = this.isOn && watchedFolders().some((folder) => isInside(path, folder));
    return isWatched && this.#editor.changed(event) === "editor";
  }

  showCount(): void {
    if (!this.isOn) return;
    const count = this.options.book.files().length;
    const text = count === 1 ? l10n.t("1 file to review") : l10n.t("{0} files to review", count);
    this.#status.text = `$(eye) ${text}`;
    this.#status.tooltip = l10n.t("Symposium reviews all changes in this window, by any writer. Click for the list.");
    this.#status.accessibilityInformation = { label: l10n.t("Symposium reviews all changes: {0}", text) };
  }

  close(): void {
    this.#all.close();
  }

  flush(): Promise<void> {
    return this.#all.flush();
  }

  dispose(): void {
    this.#all[Symbol.dispose]();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  #switched(): void {
    if (!this.isOn) {
      this.#status.hide();
      return;
    }
    this.#editor.begin();
    this.showCount();
    this.#status.show();
  }

  async #saved(document: vscode.TextDocument): Promise<void> {
    if (!this.#all.notesOwn || document.uri.scheme !== "file") return;
    const path = document.uri.fsPath;
    this.#editor.saved(document);
    this.#all.own.saved(path, document.getText());
    // The saved file can have an encoding that the review doesn't read as text.
    const onDisk = await this.options.texts.read(path);
    if (onDisk !== undefined && parseOpaque(onDisk)) this.#all.own.saved(path, onDisk);
  }
}

function watchedFolders(): string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return outermost(folders.filter(({ uri }) => uri.scheme === "file").map(({ uri }) => uri.fsPath));
}
