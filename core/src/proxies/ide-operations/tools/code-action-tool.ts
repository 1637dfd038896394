import { SymposiumError } from "../../../base/symposium-error.js";
import type { CodeAction } from "../../../ide-operations/operation-types.js";
import type { Location } from "../../../ide-operations/place.js";
import { prepareEdit } from "../edits/prepare-edit.js";
import { refuseUnready } from "../edits/refuse-unready.js";
import type { IdeCall } from "../ide-call.js";
import { readRange } from "../symbols/range-address.js";
import { resolveSymbol } from "../symbols/resolve-symbol.js";
import { counted } from "../text/bounded.js";
import { shownPlace } from "../text/place-lines.js";
import { stateMark } from "../text/state-mark.js";
import type { IdeToolEntry } from "./ide-tool.js";

const maxShown = 60;

/** Lists the quick fixes and refactorings at a place, or shows what one would change. */
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
        `${action.title}: it has no edit to show${refusal === undefined ? "" : `: ${refusal}`}.`,
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

/** The action of that title, or the only one whose title contains it. */
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
