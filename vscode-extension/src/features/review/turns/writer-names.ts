import * as vscode from "vscode";
import { nameOfWriter } from "./writer-id.js";

export function writersOf(tabIds: ReadonlySet<string>): string {
  const names = [...tabIds].map((id) => nameOfWriter(id) ?? vscode.l10n.t("an agent"));
  return [...new Set(names)].sort().join(", ");
}

export function hasOtherWriter(tabIds: ReadonlySet<string>): boolean {
  return [...tabIds].some((id) => nameOfWriter(id) !== undefined);
}
