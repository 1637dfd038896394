import type { LocatedCrate } from "../crates/crate-locator.js";

export const researchServerName = "ferris-research";
export const sourceToolName = "get_rust_crate_source";
export const responseToolName = "return_response_to_user";

/** Returns the prompt of a research session: the crate, its source folder, the rules and the task. */
export function researchPrompt(crate: LocatedCrate, task: string): string {
  const { name, version, folder, rootFile } = crate;
  return [
    `Research a question about the Rust crate "${name}", version ${version}, in its source code.`,
    "",
    `The sources are in ${folder.path}${rootFile === undefined ? "" : ` (root file ${rootFile})`}.`,
    "",
    "Rules:",
    `- Read and search files in that folder only. For the sources of another crate call the tool ${sourceToolName} first.`,
    "- Everything else is refused without asking anyone: running commands, changing or making files, the network, files",
    "  elsewhere. Do not try again what was refused; read instead.",
    "- Say only what the sources show, with file and line; quote signatures exactly. Say so when they do not tell.",
    `- When you are done, call the tool ${responseToolName} with your findings. Only what you give it reaches the one who asked;`,
    "  several calls are joined. Nobody can answer questions.",
    "",
    "The question:",
    task,
  ].join("\n");
}
