import { Logger } from "@symposium-dev/core";
import { openIdeOperations } from "../../src/index.js";

/**
 * A session that asks one question and stays: `session.js OPTIONS URI`. OPTIONS is JSON with folder, self and settings. It prints
 * the answer, and ends with its input.
 */
const [options = "{}", uri = ""] = process.argv.slice(2);
const { folder, self, settings } = JSON.parse(options) as {
  folder: string;
  self: { command: string; args: string[]; env: Record<string, string> };
  settings: unknown;
};
const operations = openIdeOperations({ folder, self, settings, logger: Logger.silent });
const answer = await operations
  .run("documentSymbols", { uri }, new AbortController().signal)
  .catch((error: unknown) => String(error));
process.stdout.write(`${JSON.stringify(answer)}\n`);
process.stdin.resume().on("end", () => {
  void operations[Symbol.asyncDispose]().then(() => process.exit(0));
});
