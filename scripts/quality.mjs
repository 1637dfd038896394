// npm run quality: prints how much the built-in tools report of recorded runs, and in how many bytes. Exits with 1 in these cases:
// - A tool omits a planted fault or reports a failed run as passed.
// - The tools save no bytes in a scripted session.
// - An agent that continues another agent's conversation knows too little about it.
// scripts/quality/record.mjs records the runs of test runners.
import { join } from "node:path";
import { ensureBundled, fail, root, run } from "./set-up.mjs";

ensureBundled();
if (run("tsc", ["-b"], { quiet: true }) !== 0) fail("The build failed: see above.");
const parts = [
  ["cargo-quality", "cargo"],
  ["runner-quality", "test runners and linters"],
  ["hand-off-quality", "conversations that another agent goes on with"],
  ["session-quality", "a scripted session, in bytes"],
];
const codes = parts.map(([name, title], index) => {
  console.log(`${index === 0 ? "" : "\n"}${title}`);
  return run("node", [join(root, `core/dist/test/quality/${name}.js`)]);
});
process.exit(Math.max(...codes));
