// npm run lint: no file has more sentences that are hard to read than scripts/english/baseline.json allows it.
//   --update   lowers the numbers there to those of today
//   --report   prints the hits in 10,000 words, by kind of text
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { englishProblems, kinds, loweredBaseline, readFileEnglish } from "./english/count.mjs";
import { patternNames } from "./english/patterns.mjs";
import { fail, root } from "./set-up.mjs";

const { values } = parseArgs({ options: { update: { type: "boolean" }, report: { type: "boolean" } } });
const baselineFile = join(root, "scripts/english/baseline.json");
const patterns = [
  "*.md",
  "*.ts",
  "*.mjs",
  "*.cjs",
  "*.js",
  "vscode-extension/package.json",
  "vscode-extension/package.nls.json",
];
// Fixtures are output of other programs; the patterns and their test quote bad English.
const leftOut =
  /(?:^|\/)(?:fixtures|golden|recorded)\/|^scripts\/english\/patterns\.mjs$|^test\/runner\/english\.test\.mjs$/;

const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...patterns], {
  cwd: root,
  encoding: "utf8",
});
const files = [...new Set(listed.split("\n"))].filter(
  (file) => file !== "" && !leftOut.test(file) && existsSync(join(root, file)),
);
const read = files.map((file) => [file, readFileEnglish(file, readFileSync(join(root, file), "utf8"))]);
const found = new Map(read.map(([file, { hits }]) => [file, hits]));
const allowed = JSON.parse(readFileSync(baselineFile, "utf8"));

if (values.report) report();
else if (values.update) update();
else {
  const problems = englishProblems(found, allowed);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0)
    fail("\nRewrite these sentences. After a file was moved or improved: node scripts/english.mjs --update");
}

function update() {
  const lowered = loweredBaseline(found, allowed);
  if ("refusal" in lowered) fail(lowered.refusal);
  writeFileSync(baselineFile, `${JSON.stringify(lowered.allowed, undefined, 2)}\n`);
}

function report() {
  const header = ["", "words", ...patternNames, "hits", "per 10,000 words"];
  const rows = kinds.map((kind) => {
    const words = read.reduce((sum, [, file]) => sum + (file.words.get(kind) ?? 0), 0);
    const hits = read.flatMap(([, file]) => file.hits.filter((hit) => hit.kind === kind));
    const counts = patternNames.map((name) => hits.filter((hit) => hit.name === name).length);
    return [kind, words, ...counts, hits.length, ((hits.length / Math.max(words, 1)) * 10_000).toFixed(1)];
  });
  console.log([header, header.map(() => "-"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
}
