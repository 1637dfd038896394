import { SymposiumError } from "../../../base/symposium-error.js";
import { prepareEdit } from "../edits/prepare-edit.js";
import { readRange } from "../symbols/range-address.js";
import { stateMark } from "../text/state-mark.js";
import type { IdeToolEntry } from "./ide-tool.js";

/** Shows what formatting would change. */
export const formatTool: IdeToolEntry = {
  name: "format",
  description: "Previews the formatting of a file (or of lines, file:12-20); apply_edit then makes it.",
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
