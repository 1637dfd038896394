import type { Diagnostic } from "vscode";

/** Features that Symposium's language client adds to this window. Agents get them from the language servers themselves. */
export interface OwnFeatures {
  serves(languageId: string): boolean;
  made(diagnostic: Diagnostic): boolean;
}
