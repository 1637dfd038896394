// npm run bench: measures the built command. `-- --quick`, `--only NAME`, `--json FILE`; `--node PROGRAM` measures with another Node.
import { join } from "node:path";
import { ensureBundled, fail, root, run } from "./set-up.mjs";

const words = process.argv.slice(2);
const at = words.indexOf("--node");
const [, node] = at === -1 ? [] : words.splice(at, 2);
if (at !== -1 && node === undefined) fail("--node needs a program.");

ensureBundled();
for (const [program, args] of [
  ["tsc", ["-b"]],
  ["node", [join(root, "scripts/bundle-extension.mjs")]],
])
  if (run(program, args, { quiet: true }) !== 0) fail("The build failed: see above.");
process.exit(run(node ?? "node", [join(root, "test/dist/bench/main.js"), ...words]));
