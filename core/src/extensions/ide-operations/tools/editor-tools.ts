import { bounded, counted, shownPlace } from "../answer-text.js";
import type { IdeToolEntry } from "./ide-tool.js";

const maxSelection = 8_000;

export const selectionTool: IdeToolEntry = {
  name: "selection",
  description: "The user's selection in the editor.",
  needs: ["selection"],
  properties: {},
  async run(call) {
    const { selection } = await call.ask("selection", {});
    if (selection === null) return "no file is open in the editor";
    const { uri, range, text } = selection;
    const start = shownPlace(call, uri, range.start);
    if (text === "") return `nothing is selected; the cursor is at ${start}`;
    return `${start} to ${range.end.line + 1}:${range.end.character + 1}\n${bounded(text, maxSelection)}`;
  },
};

export const openFilesTool: IdeToolEntry = {
  name: "open_files",
  description: "Files that the user has open.",
  needs: ["openFiles"],
  properties: {},
  async run(call) {
    const { files } = await call.ask("openFiles", {});
    return [
      counted(files.length, "open file"),
      ...files.map(({ uri, isActive, isUnsaved }) => {
        return `${call.paths.shown(uri)}${isActive ? " (active)" : ""}${isUnsaved ? " (unsaved)" : ""}`;
      }),
    ].join("\n");
  },
};
