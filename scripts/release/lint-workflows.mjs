// Lints .github/workflows with actionlint (by Go) and zizmor (by pip), installed once into .cache/release-tools.
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fail, root, run } from "../set-up.mjs";

const actionlintVersion = "v1.7.12";
const zizmorVersion = "1.32.0";
const cache = join(root, ".cache/release-tools");
const actionlint = join(cache, `actionlint-${actionlintVersion}`);
const zizmor = join(cache, `zizmor-${zizmorVersion}`);

await mkdir(cache, { recursive: true });
if (!existsSync(join(actionlint, "actionlint"))) {
  process.env.GOBIN = actionlint;
  if (run("go", ["install", `github.com/rhysd/actionlint/cmd/actionlint@${actionlintVersion}`], { quiet: true }) !== 0)
    fail("actionlint cannot be installed: it needs Go.");
}
if (!existsSync(join(zizmor, "bin/zizmor"))) {
  if (run("python3", ["-m", "venv", zizmor], { quiet: true }) !== 0) fail("zizmor needs Python with venv.");
  // Not by pip's own script, which names the folder it was made in: workflows that run here reach the cache by another.
  const words = ["-m", "pip", "install", "--quiet", `zizmor==${zizmorVersion}`];
  if (run(join(zizmor, "bin/python3"), words, { quiet: true }) !== 0) fail("zizmor cannot be installed: see above.");
}
process.env.PATH = `${actionlint}${delimiter}${process.env.PATH ?? ""}`;
const isSound = run("actionlint", []) === 0;
const isSafe = run(join(zizmor, "bin/zizmor"), ["--offline", "--no-progress", ".github/workflows"]) === 0;
process.exit(isSound && isSafe ? 0 : 1);
