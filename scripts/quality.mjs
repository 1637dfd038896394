// npm run quality: how much the built-in tools tell of recorded runs, and in how many bytes. The exit code is 1 where one loses
// what was planted in a run, calls one that failed passed, or saves nothing over a session, or where another agent that goes on with a
// conversation knows too little of it. scripts/quality/record.mjs records the runs of test runners.
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
