import type { Attachment } from "../../../protocol/index.js";

/** A symbol as language services know it; lines are 1-based and inclusive. */
export interface FoundSymbol {
  readonly name: string;
  readonly containerName: string;
  /** A codicon name, such as `symbol-method`. */
  readonly icon: string;
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
}

/** What the editor shows at the moment. */
export interface EditorContext {
  /** What is selected in the active editor. */
  selection(): Extract<Attachment, { type: "selection" }> | undefined;
  /** Absolute paths of open files, the active one first. */
  openFiles(): readonly string[];
  /** Symbols of the active document and of the workspace whose name fits `text`. */
  symbols(text: string, signal: AbortSignal): Promise<readonly FoundSymbol[]>;
  /** How many problems there are, in all or in one file. */
  problemCount(path?: string): number;
  /** The last command of the active terminal with its output. */
  terminal(): { readonly label: string; readonly text: string } | undefined;
}
