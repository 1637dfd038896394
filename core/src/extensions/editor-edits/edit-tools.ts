import { argumentsSchema, flagSchema, textSchema } from "../../base/mcp/tool-schema.js";
import { textOf } from "../../base/rpc/json.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { Tool } from "../../base/mcp/tool-server.js";
import type { EditorFiles } from "../editor-files/editor-files.js";

/** Usage notes for the model. */
export const editInstructions =
  "Creates and changes files through the user's editor, which shows every change for review and has the user's unsaved text. Use `write` and `edit` for all changes of files in the project; never change files with shell commands.";

const path = textSchema("Absolute path of a file in the project");

/** Returns `read`, `write` and `edit`, with the parameters of Claude's own tools. */
export function editTools(files: EditorFiles): readonly Tool[] {
  return [readTool(files), writeTool(files), editTool(files)];
}

function readTool(files: EditorFiles): Tool {
  return {
    name: "read",
    title: "Read through the editor",
    description:
      "Reads a file as the editor has it, with changes that the user has not saved. For all other reading use your usual tool.",
    inputSchema: argumentsSchema({ file_path: path }, ["file_path"]),
    annotations: { readOnlyHint: true },
    call: (args, { signal }) =>
      files.inTurn(async () => {
        const file = textOf(args["file_path"]);
        const found = await files.read(file, signal);
        if (!found) throw notThere(file);
        return found.text;
      }),
  };
}

function writeTool(files: EditorFiles): Tool {
  return {
    name: "write",
    title: "Write through the editor",
    description: "Writes a whole file: creates it, or replaces its content. To change a part use `edit`.",
    inputSchema: argumentsSchema({ file_path: path, content: { type: "string", description: "The whole new text" } }, [
      "file_path",
      "content",
    ]),
    call: (args, { signal }) =>
      files.inTurn(async () => {
        const [file, content] = [textOf(args["file_path"]), textOf(args["content"])];
        const before = await files.read(file, signal);
        const kept = await files.write(file, content, signal);
        return report(before ? `Replaced the text of ${file}.` : `Created ${file}.`, content, kept);
      }),
  };
}

function editTool(files: EditorFiles): Tool {
  return {
    name: "edit",
    title: "Edit through the editor",
    description:
      "Replaces text in a file. `old_string` must occur in the file exactly as given, white space included, and only once unless " +
      "`replace_all` is true.",
    inputSchema: argumentsSchema(
      {
        file_path: path,
        old_string: textSchema("The text to replace"),
        new_string: { type: "string", description: "The replacement text" },
        replace_all: flagSchema("Replace every occurrence"),
      },
      ["file_path", "old_string", "new_string"],
    ),
    call: (args, { signal }) =>
      files.inTurn(async () => {
        const file = textOf(args["file_path"]);
        const found = await files.read(file, signal);
        if (!found) throw notThere(file);
        const content = replaced(file, found, args);
        const kept = await files.write(file, content, signal);
        return report(`Changed ${file}.`, content, kept);
      }),
  };
}

/** Applies an edit. Throws with a remedy if the old text is missing or ambiguous. */
function replaced(
  file: string,
  { text, isUnsaved }: { readonly text: string; readonly isUnsaved: boolean },
  args: Readonly<Record<string, unknown>>,
): string {
  const from = withLineEndsOf(text, textOf(args["old_string"]));
  const to = withLineEndsOf(text, textOf(args["new_string"]));
  const count = text.split(from).length - 1;
  if (count === 0) {
    const hint = isUnsaved
      ? "The user has unsaved changes in it: read it with the `read` tool of this server."
      : "Read the file and copy the text from there.";
    throw new SymposiumError("invalid-arguments", `old_string was not found in ${file}.`, hint);
  }
  if (count > 1 && args["replace_all"] !== true) {
    throw new SymposiumError(
      "invalid-arguments",
      `old_string occurs ${count} times in ${file}.`,
      "Include more of the surrounding text, or set replace_all.",
    );
  }
  return text.split(from).join(to);
}

/**
 * Models write `
 * `. Preserves `\r
 * ` in files that use it throughout.
 */
function withLineEndsOf(text: string, part: string): string {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text) ? part.replace(/\r?\n/g, "\r\n") : part;
}

function report(what: string, wanted: string, kept: string): string {
  return kept === wanted ? what : `${what} The editor formatted it on save: read it before you change it again.`;
}

function notThere(file: string): SymposiumError {
  return new SymposiumError("invalid-arguments", `${file} does not exist.`, "Use `write` to create it.");
}
