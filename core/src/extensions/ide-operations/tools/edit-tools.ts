import { SymposiumError } from "../../../base/symposium-error.js";
import type { CodeAction } from "../../../base/ide-operations/operation-types.js";
import type { Location } from "../../../base/ide-operations/place.js";
import type { WorkspaceEdit } from "../../../base/ide-operations/workspace-edit.js";
import { counted, shownPlace, stateMark } from "../answer-text.js";
import { prepareEdit, refuseUnready } from "../edits/prepare-edit.js";
import type { IdeCall, PreparedEdit } from "../ide-call.js";
import { resolveSymbol } from "../symbols/resolve-symbol.js";
import { readRange, symbolError } from "../symbols/symbol-address.js";
import { checkByWord, startWordSearch, wordCheckLines } from "../missed-uses.js";
import { type IdeToolEntry, symbolProperty } from "./ide-tool.js";

export const renameTool: IdeToolEntry = {
  name: "rename",
  description: "Previews renaming a symbol everywhere; apply_edit then applies it.",
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
    const warning = check.missed.length > 0 ? ["The rename misses uses of the symbol: see below."] : [];
    return prepareEdit(call, session, { edit, label, remarks: [...warning, ...remarks] });
  },
};

function refused(label: string, refusal: string | undefined): SymposiumError {
  return new SymposiumError(
    "ide-operation-failed",
    `${label}: the language server refused${refusal === undefined ? "" : `: ${refusal}`}.`,
    "Check that the new name is an identifier, and that the symbol belongs to this workspace.",
  );
}

function editedPlaces({ changes }: WorkspaceEdit): Location[] {
  return changes.flatMap((change) =>
    change.kind === "edit" ? change.edits.map(({ range }) => ({ uri: change.uri, range })) : [],
  );
}

const maxShown = 60;

export const codeActionTool: IdeToolEntry = {
  name: "code_action",
  description: "Fixes and refactorings at a symbol or lines (file:12, file:12-20); with a title, previews that one.",
  needs: ["codeActions", "resolveCodeAction"],
  properties: { place: { type: "string" }, title: { type: "string" } },
  required: ["place"],
  async run(call, args, session) {
    const at = await placeOf(call, args.required("place"));
    const title = args.text("title");
    const { items } = await call.ask("codeActions", { ...at, limit: 200 });
    if (title === undefined) return listText(call, at, items);
    const action = chosen(items, title);
    if (action.kind?.startsWith("refactor") === true) refuseUnready(action.title, call.state);
    const { edit, refusal } = await call.ask("resolveCodeAction", { id: action.id });
    if (edit === null || edit.changes.length === 0) {
      throw new SymposiumError(
        "ide-operation-failed",
        `${action.title}: it has no edit to preview${refusal === undefined ? "" : `: ${refusal}`}.`,
        "Choose another, or edit the file.",
      );
    }
    return prepareEdit(call, session, { edit, label: action.title });
  },
};

async function placeOf(call: IdeCall, place: string): Promise<Location> {
  const range = await readRange(call, place);
  if (range) return range;
  const { uri, position } = await resolveSymbol(call, place);
  return { uri, range: { start: position, end: position } };
}

function listText(call: IdeCall, { uri, range }: Location, actions: readonly CodeAction[]): string {
  const usable = actions.filter(({ disabled }) => disabled === undefined);
  return [
    `${counted(usable.length, "code action")} at ${shownPlace(call, uri, range.start)} ${stateMark(call.state)}`,
    ...usable.slice(0, maxShown).map(({ title, kind, isPreferred }) => {
      return `${title}${kind === undefined ? "" : ` (${kind})`}${isPreferred === true ? " preferred" : ""}`;
    }),
    ...(usable.length > maxShown ? [`… and ${usable.length - maxShown} more`] : []),
  ].join("\n");
}

/** Returns the action with this title, or the only one whose title contains it. */
function chosen(actions: readonly CodeAction[], title: string): CodeAction {
  const exact = actions.find((action) => action.title === title);
  const wanted = title.toLowerCase();
  const similar = actions.filter((action) => action.title.toLowerCase().includes(wanted));
  const action = exact ?? (similar.length === 1 ? similar[0] : undefined);
  if (action?.disabled !== undefined) {
    throw new SymposiumError("ide-operation-failed", `${action.title}: ${action.disabled}`, "Choose another.");
  }
  if (action) return action;
  const choices = (similar.length > 0 ? similar : actions).slice(0, maxShown).map((one) => one.title);
  throw new SymposiumError(
    "invalid-arguments",
    `title: "${title}" is ${similar.length > 1 ? "the title of several" : "no title of a"} code action${similar.length > 1 ? "s" : ""} there.`,
    choices.length === 0 ? "There is none at that place." : `There are:\n${choices.join("\n")}`,
  );
}

export const formatTool: IdeToolEntry = {
  name: "format",
  description: "Previews formatting a file (or lines of it, file:12-20); apply_edit then applies it.",
  needs: ["format"],
  properties: { file: { type: "string" } },
  required: ["file"],
  async run(call, args, session) {
    const file = args.required("file");
    const { uri, range } = (await readRange(call, file)) ?? { uri: call.paths.uriOf(file) };
    const label = `Format ${call.paths.shown(uri)}`;
    const { edits, refusal } = await call.ask("format", { uri, ...(range && { range }) });
    if (refusal !== undefined) {
      throw new SymposiumError("ide-operation-failed", `${label}: ${refusal}`);
    }
    if (edits.length === 0) return `${label}: nothing to change ${stateMark(call.state)}`;
    return prepareEdit(call, session, { edit: { changes: [{ kind: "edit", uri, edits }] }, label });
  },
};

/** Tool that applies a previewed edit unless a file changed since the preview. */
export const applyEditTool: IdeToolEntry = {
  name: "apply_edit",
  description: "Applies a previewed edit, such as edit-1.",
  needs: ["applyEdit"],
  properties: { edit: { type: "string" } },
  required: ["edit"],
  isWriting: true,
  async run(call, args, session) {
    const name = args.required("edit");
    const prepared = session.edits.get(name);
    await refuseChanged(call, name, prepared);
    const { edit, label } = prepared;
    const { isApplied, refusal } = await call.apply(edit, label);
    if (!isApplied) {
      throw new SymposiumError(
        "ide-operation-failed",
        `${label}: nothing was changed${refusal === undefined ? "" : `: ${refusal}`}.`,
        "Preview it again.",
      );
    }
    session.edits.forget(name);
    const files = new Set(
      edit.changes.map((change) => call.paths.shown(change.kind === "rename" ? change.to : change.uri)),
    );
    return `${label}: made, in ${counted(files.size, "file")}: ${[...files].join(", ")}`;
  },
};

async function refuseChanged(call: IdeCall, name: string, { texts, label }: PreparedEdit): Promise<void> {
  for (const [uri, text] of texts) {
    if ((await call.documents.text(uri)) === text) continue;
    throw new SymposiumError(
      "ide-operation-failed",
      `${label}: ${call.paths.shown(uri)} changed after ${name} was previewed, so the edit was not applied.`,
      "Preview it again.",
    );
  }
}
