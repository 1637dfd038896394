// npm run quality: how much the built-in tools tell of recorded runs, and in how many bytes.
import { join } from "node:path";
import { ensureBundled, fail, root, run } from "./set-up.mjs";

ensureBundled();
if (run("tsc", ["-b"], { quiet: true }) !== 0) fail("The build failed: see above.");
process.exit(run("node", [join(root, "core/dist/test/quality/cargo-quality.js")]));
