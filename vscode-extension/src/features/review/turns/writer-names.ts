import * as l10n from "@vscode/l10n";
import { nameOfWriter } from "./writer-id.js";

export function writersOf(tabIds: ReadonlySet<string>): string {
  const names = [...tabIds].map((id) => nameOfWriter(id) ?? l10n.t("an agent"));
  return [...new Set(names)].sort().join(", ");
}

export function hasOtherWriter(tabIds: ReadonlySet<string>): boolean {
  return [...tabIds].some((id) => nameOfWriter(id) !== undefined);
}
