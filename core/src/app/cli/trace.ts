import { chmod, readFile, writeFile } from "node:fs/promises";
import { parse } from "node:path";
import { getSystemErrorMap } from "node:util";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { renderTrace } from "../../sessions/trace/trace-view.js";
import { subcommand } from "./subcommand.js";

export const trace = subcommand({
  name: "trace",
  about: "Convert a trace to an HTML page, and print its path.",
  arguments: { "<FILE>": "a trace file, written by --trace-dir" },
  options: { output: { value: "HTML", about: "the page's path (default: beside FILE)" } },
  async run({ values, positionals: [file = ""] }) {
    const { dir, name } = parse(file);
    const output = values.output ?? `${dir === "" ? "" : `${dir}/`}${name}.html`;
    const page = renderTrace(await traceIn(file));
    // Makes the page readable only by the user, like the trace, even if the file already existed.
    await writeOwn(output, page).catch((failure: unknown) => {
      const hint = "To write to another file, use --output FILE.";
      throw new SymposiumError("invalid-trace", `${output} cannot be written: ${reasonOf(failure)}.`, hint);
    });
    process.stdout.write(`${output}\n`);
    return 0;
  },
});

async function writeOwn(file: string, content: string): Promise<void> {
  await writeFile(file, "", { mode: 0o600 });
  await chmod(file, 0o600);
  await writeFile(file, content);
}

async function traceIn(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (failure) {
    throw new SymposiumError(
      "invalid-trace",
      `The trace ${file} cannot be read: ${reasonOf(failure)}.`,
      "Give a file that was written with --trace-dir DIR.",
    );
  }
}

/** Returns the system's description of a failure, such as "no such file or directory". */
function reasonOf(failure: unknown): string {
  const isSystem = failure instanceof Error && "errno" in failure && typeof failure.errno === "number";
  const [, words] = (isSystem && getSystemErrorMap().get(Number(failure.errno))) || [];
  return words ?? messageOf(failure);
}
