import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { ReviewCommandName } from "../store/review-file-paths.js";
import { wordsOfAttributes } from "./change-words.js";
import { type AttributeReview, attributesId } from "../hunks/file-attributes.js";
import type { ReviewBook } from "../review-book.js";
import { removedTexts } from "./removed-texts.js";
import { hasOtherWriter, writersOf } from "../turns/writer-names.js";

/** Maximum number of removed lines in a change's hover. */
const maxShownLines = 40;

type MarkedEditor = Pick<vscode.TextEditor, "document" | "viewColumn" | "setDecorations">;

export class HunkDecorations {
  readonly #book: ReviewBook;
  readonly #added = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    borderWidth: "0 0 0 2px",
    borderStyle: "solid",
    borderColor: new vscode.ThemeColor("editorGutter.addedBackground"),
  });
  readonly #removed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.deletedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    borderWidth: "1px 0 0 0",
    borderStyle: "dashed",
    borderColor: new vscode.ThemeColor("editorGutter.deletedBackground"),
  });

  readonly #before = vscode.window.createTextEditorDecorationType({
    after: {
      // The high contrast themes have no colour for ghost text.
      color: new vscode.ThemeColor("descriptionForeground"),
      backgroundColor: new vscode.ThemeColor("diffEditor.removedTextBackground"),
      textDecoration: "line-through",
      margin: "0 0 0 2em",
    },
  });

  constructor(
    book: ReviewBook,
    private readonly isMarked: () => boolean,
    private readonly showsRemoved: () => boolean,
  ) {
    this.#book = book;
  }

  /** Draws the marks of one file, or of all files if `path` is undefined. */
  refresh(path?: string, editors: readonly MarkedEditor[] = vscode.window.visibleTextEditors): void {
    for (const editor of editors) {
      const { uri } = editor.document;
      if (uri.scheme === "file" && (path === undefined || uri.fsPath === path)) this.#draw(editor);
    }
  }

  #draw(editor: MarkedEditor): void {
    const review = this.isMarked() ? this.#book.find(editor.document.uri.fsPath)?.review : undefined;
    const hunks = review && review.current === editor.document.getText() ? review.hunks : [];
    const added: vscode.DecorationOptions[] = [];
    const removed: vscode.DecorationOptions[] = [];
    const texts: vscode.DecorationOptions[] = [];
    const { lineCount } = editor.document;
    // A diff, whose editors have no column, shows removed lines itself.
    const showsRemoved = this.showsRemoved() && editor.viewColumn !== undefined;
    for (const hunk of hunks) {
      const before =
        hunk.removed.length === 0 ? {} : { hoverMessage: removedLines(hunk.removed, editor.document.languageId) };
      if (hunk.added.length > 0) added.push({ range: new vscode.Range(hunk.start, 0, hunk.end - 1, 0), ...before });
      else {
        const line = Math.min(hunk.start, lineCount - 1);
        removed.push({ range: new vscode.Range(line, 0, line, 0), ...before });
      }
      for (const { line, text } of showsRemoved ? removedTexts(hunk, lineCount) : [])
        texts.push({ range: editor.document.lineAt(line).range, renderOptions: { after: { contentText: text } } });
    }
    editor.setDecorations(this.#added, added);
    editor.setDecorations(this.#removed, removed);
    editor.setDecorations(this.#before, texts);
  }

  dispose(): void {
    this.#added.dispose();
    this.#removed.dispose();
    this.#before.dispose();
  }
}

function removedLines(lines: readonly string[], language: string): vscode.MarkdownString {
  const shown = lines.slice(0, maxShownLines).join("");
  const message = new vscode.MarkdownString(l10n.t("Before this change:"));
  message.appendCodeblock(shown, language);
  if (lines.length > maxShownLines) message.appendText(l10n.t("… and {0} more lines", lines.length - maxShownLines));
  return message;
}

export class HunkLenses implements vscode.CodeLensProvider {
  readonly #book: ReviewBook;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(
    book: ReviewBook,
    private readonly isMarked: () => boolean,
  ) {
    this.#book = book;
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const file = this.isMarked() ? this.#book.find(document.uri.fsPath) : undefined;
    const { attributes, review, tabIds = new Set<string>() } = file ?? {};
    const by = hasOtherWriter(tabIds) ? l10n.t(", by {0}", writersOf(tabIds)) : "";
    // If the document has changed since the review's last update, the lines of the changes are unknown.
    if (!review || review.current !== document.getText()) return [];
    const path = document.uri.fsPath;
    const ofAttributes = attributes?.isReviewed === false ? attributeLenses(path, attributes) : [];
    const ofHunks = review.hunks.flatMap(({ id, start, added, removed }, index) => {
      const lens = lensAt(Math.min(start, document.lineCount - 1), { path, hunkId: id });
      const counts = `+${added.length} −${removed.length}`;
      return [
        lens("keepHunk", l10n.t("$(check)  Keep"), l10n.t("Keep this change ({0})", counts)),
        lens("undoHunk", l10n.t("$(discard)  Undo"), l10n.t("Restore the lines from before this change")),
        lens(
          "comment",
          l10n.t("$(comment)  Comment"),
          l10n.t("Comment on this change. All comments are sent to the agent as one prompt"),
        ),
        lens(
          "openFile",
          l10n.t("Change {0} of {1}, {2}", index + 1, review.hunks.length, counts) + by,
          l10n.t("Open the file's changes"),
        ),
      ];
    });
    return [...ofAttributes, ...ofHunks];
  }

  changed(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

function attributeLenses(path: string, attributes: AttributeReview): vscode.CodeLens[] {
  const lens = lensAt(0, { path, hunkId: attributesId });
  const words = wordsOfAttributes(attributes).join(", ");
  return [
    lens("keepHunk", l10n.t("$(check)  Keep"), l10n.t("Keep this change ({0})", words)),
    lens("undoHunk", l10n.t("$(discard)  Undo"), l10n.t("Undo this; the text doesn't change")),
    lens("openFile", l10n.t("This file: {0}", words)),
  ];
}

/** Returns a function that creates code lenses of a change. `command` is the name after `symposium.review.`. */
function lensAt(line: number, target: { readonly path: string; readonly hunkId: string }) {
  const range = new vscode.Range(line, 0, line, 0);
  return (command: ReviewCommandName, title: string, tooltip?: string): vscode.CodeLens =>
    new vscode.CodeLens(range, {
      title,
      ...(tooltip !== undefined && { tooltip }),
      command: `symposium.review.${command}`,
      arguments: [target],
    });
}
