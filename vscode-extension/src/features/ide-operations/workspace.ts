import type { Editor } from "./editor.js";
import type { Languages } from "./languages.js";

/** What the operations of one folder work with. */
export interface Workspace {
  /** Absolute path. */
  readonly folder: string;
  readonly editor: Editor;
  readonly languages: Languages;
}
