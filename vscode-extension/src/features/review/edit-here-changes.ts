import type { OpenDocuments } from "./files/open-documents.js";
import type { ReviewBook } from "./review-book.js";

/** Used as the tab id for changes without a tab, so that no tab lists them. */
const noTab = "edit-here";

/** Changes that the user requested in an editor. They are under review like an agent's, but their documents stay unsaved. */
export class EditHereChanges {
  constructor(
    private readonly book: Pick<ReviewBook, "agentChanged" | "userChanged">,
    private readonly texts: Pick<OpenDocuments, "leaveUnsaved">,
  ) {}

  /** Records that `after` is about to replace `before` in an open document. */
  proposed(path: string, before: string, after: string): void {
    this.texts.leaveUnsaved(path);
    this.book.agentChanged(noTab, path, before, after);
  }

  /** Records that the edit failed and the document has `text`. */
  withdrawn(path: string, text: string): void {
    this.book.userChanged(path, text);
  }
}
