// Lints .github/workflows and action.yml with actionlint (by Go) and zizmor (by pip), installed once into .cache/release-tools.
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { fail, root, run } from "../set-up.mjs";

const actionlintVersion = "v1.7.12";
const zizmorVersion = "1.32.0";
/** Of its wheels for Linux on x64, macOS on arm64 and Windows. */
const zizmorHashes = [
  "84a6acb975accc13408786a2bd274b572537ca19c933ebbc13e78f3988562071",
  "0a999c98015becd9f69919ce01febadfb1c2be9b8ec2ce9ef7eb13ff23ba8eba",
  "9cd1dd7734042f40ca0faa2a31fb4e9033dede620d996af2f903744b8f04fca9",
];
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
  const requirements = join(cache, "zizmor.txt");
  await writeFile(
    requirements,
    `zizmor==${zizmorVersion} ${zizmorHashes.map((sum) => `--hash=sha256:${sum}`).join(" ")}\n`,
  );
  const words = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--only-binary=:all:",
    "--require-hashes",
    "--requirement",
    requirements,
  ];
  if (run(join(zizmor, "bin/python3"), words, { quiet: true }) !== 0) fail("zizmor cannot be installed: see above.");
}
process.env.PATH = `${actionlint}${delimiter}${process.env.PATH ?? ""}`;
const isSound = run("actionlint", []) === 0;
const isSafe = run(join(zizmor, "bin/zizmor"), ["--offline", "--no-progress", ".github/workflows", "action.yml"]) === 0;
process.exit(isSound && isSafe ? 0 : 1);
