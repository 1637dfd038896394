import { readFile, writeFile } from "node:fs/promises";
import { parse } from "node:path";
import { SymposiumError } from "../base/symposium-error.js";
import { renderTrace } from "../trace/trace-view.js";
import { parseCommandLine } from "./command-line.js";

/** `trace FILE [--output HTML]`: turns a trace into one self-contained page beside it and prints the page's path. */
export async function trace(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseCommandLine("trace", words, { output: { type: "string" } }, true);
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) {
    throw new SymposiumError(
      "invalid-arguments",
      "trace takes one file.",
      "symposium-acp-agent trace FILE [--output HTML]",
    );
  }
  const { dir, name } = parse(file);
  const output = values.output ?? `${dir === "" ? "" : `${dir}/`}${name}.html`;
  await writeFile(output, renderTrace(await readFile(file, "utf8")));
  process.stdout.write(`${output}\n`);
  return 0;
}
