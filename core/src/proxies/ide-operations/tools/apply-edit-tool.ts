import { SymposiumError } from "../../../base/symposium-error.js";
import type { PreparedEdit } from "../edits/prepared-edits.js";
import type { IdeCall } from "../ide-call.js";
import { counted } from "../text/bounded.js";
import type { IdeToolEntry } from "./ide-tool.js";

/** Makes an edit that was previewed, unless a file was changed since. */
export const applyEditTool: IdeToolEntry = {
  name: "apply_edit",
  description: "Makes an edit that was previewed, such as edit-1.",
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
      `${label}: ${call.paths.shown(uri)} was changed since ${name} was previewed; nothing was changed now.`,
      "Preview it again.",
    );
  }
}
