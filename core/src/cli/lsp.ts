import { loadLspAdapter } from "../start/language-servers.js";
import { subcommand } from "./subcommand.js";

/** `lsp --folder DIR`: the language-server adapter as a program of its own. */
export const lsp = subcommand({
  name: "lsp",
  about:
    "The language servers of a folder, which all sessions there share. Sessions start it by themselves, with its " +
    "settings as JSON on stdin.",
  options: { folder: { value: "DIR", about: "the folder, as an absolute path" } },
  async run({ values }) {
    const { runLspAdapter } = await loadLspAdapter();
    return runLspAdapter(values.folder === undefined ? [] : ["--folder", values.folder]);
  },
});
