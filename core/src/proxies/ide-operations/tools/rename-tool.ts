import { SymposiumError } from "../../../base/symposium-error.js";
import type { Location } from "../../../ide-operations/place.js";
import type { WorkspaceEdit } from "../../../ide-operations/workspace-edit.js";
import { prepareEdit } from "../edits/prepare-edit.js";
import { refuseUnready } from "../edits/refuse-unready.js";
import { resolveSymbol } from "../symbols/resolve-symbol.js";
import { symbolError } from "../symbols/symbol-error.js";
import { checkByWord, startWordSearch, wordCheckLines } from "../word-check.js";
import { type IdeToolEntry, symbolProperty } from "./ide-tool.js";

/** Shows what a rename would change; `apply_edit` makes it. */
export const renameTool: IdeToolEntry = {
  name: "rename",
  description: "Previews the rename of a symbol everywhere; apply_edit then makes it.",
  needs: ["rename", "definition", "documentSymbols"],
  properties: { symbol: symbolProperty, new_name: { type: "string" } },
  required: ["symbol", "new_name"],
  async run(call, args, session) {
    const newName = args.required("new_name").trim();
    const symbol = await resolveSymbol(call, args.required("symbol"));
    const { uri, position, name } = symbol;
    if (name === newName) throw symbolError(name, "has that name already", "Give another new_name.");
    const label = `Rename ${name} to ${newName}`;
    const search = startWordSearch(call, symbol);
    const { items: declarations } = await call.ask("definition", { uri, position });
    refuseUnready(label, call.state);
    const { edit, refusal } = await call.ask("rename", { uri, position, newName });
    refuseUnready(label, call.state);
    if (edit === null || edit.changes.length === 0) throw refused(label, refusal);
    const check = await checkByWord(call, { name, search, known: editedPlaces(edit), declarations });
    const remarks = await wordCheckLines(call, check);
    const warning = check.missed.length > 0 ? ["The rename leaves out places that use the symbol: see below."] : [];
    return prepareEdit(call, session, { edit, label, remarks: [...warning, ...remarks] });
  },
};

function refused(label: string, refusal: string | undefined): SymposiumError {
  return new SymposiumError(
    "ide-operation-failed",
    `${label}: the language server refuses${refusal === undefined ? "" : `: ${refusal}`}.`,
    "Check that the new name is an identifier, and that the symbol is one of this workspace.",
  );
}

function editedPlaces({ changes }: WorkspaceEdit): Location[] {
  return changes.flatMap((change) =>
    change.kind === "edit" ? change.edits.map(({ range }) => ({ uri: change.uri, range })) : [],
  );
}
