import * as l10n from "@vscode/l10n";
import { nameOfWriter, programWriter } from "./writer-id.js";

export function writersOf(tabIds: ReadonlySet<string>): string {
  const names = [...tabIds].map((id) =>
    id === programWriter ? l10n.t("another program") : (nameOfWriter(id) ?? l10n.t("an agent")),
  );
  return [...new Set(names)].sort().join(", ");
}

export function hasOtherWriter(tabIds: ReadonlySet<string>): boolean {
  return [...tabIds].some((id) => nameOfWriter(id) !== undefined);
}
