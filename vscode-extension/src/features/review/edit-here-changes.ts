import type { DocumentTexts } from "./files/document-texts.js";
import type { ReviewBook } from "./review-book.js";

/** In place of a tab's: they are in no tab's list. */
const noTab = "edit-here";

/** Changes that the user asked for in an editor: under review like an agent's, in documents that stay unsaved. */
export class EditHereChanges {
  constructor(
    private readonly book: Pick<ReviewBook, "agentChanged" | "userChanged">,
    private readonly texts: Pick<DocumentTexts, "leaveUnsaved">,
  ) {}

  /** In an open document `after` is about to be put in the place of `before`. */
  proposed(path: string, before: string, after: string): void {
    this.texts.leaveUnsaved(path);
    this.book.agentChanged(noTab, path, before, after);
  }

  /** It was not: the document has this text. */
  withdrawn(path: string, text: string): void {
    this.book.userChanged(path, text);
  }
}
