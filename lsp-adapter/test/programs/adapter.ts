import { runLspAdapter } from "../../src/index.js";

/** The adapter process of the tests: `adapter.js lsp --folder FOLDER`, as the command runs it. */
const [, ...words] = process.argv.slice(2);
runLspAdapter(words).then(
  (exitCode) => process.exit(exitCode),
  (failure: unknown) => {
    process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`);
    process.exit(2);
  },
);
