// npm run lint: modules import only whom they may, none in circles, and nothing is exported that nobody uses.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { moduleProblems } from "./modules/check.mjs";
import { readSources } from "./modules/import-graph.mjs";
import { root } from "./set-up.mjs";

const patterns = ["*.ts", "*.tsx", "*.js", "*.mjs", "*.cjs"];
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
  cwd: root,
  encoding: "utf8",
});
const files = listed.split("\n").filter((file) => file !== "" && existsSync(join(root, file)));
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), "utf8")]));
const problems = moduleProblems(readSources(texts));
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`\n${problems.length} of the rules of modules are broken.`);
  process.exitCode = 1;
}
