// npm run lint: each text in the extension's sources that users see goes through `l10n.t`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./set-up.mjs";
import { untranslated } from "./untranslated/find.mjs";
import { origins } from "./untranslated/origins.mjs";

const extension = join(root, "vscode-extension");
const options = ["ls-files", "--cached", "--others", "--exclude-standard", "--"];
const folders = ["src/*.ts", "webview/*.ts", "protocol/*.ts"];
const listed = execFileSync("git", [...options, ...folders], { cwd: extension, encoding: "utf8" })
  .trim()
  .split("\n");
const files = [...new Set(listed)].filter((file) => existsSync(join(extension, file)));
const texts = new Map(files.map((file) => [file, readFileSync(join(extension, file), "utf8")]));
const problems = untranslated(texts, origins);
for (const problem of problems) console.error(problem);
if (problems.length > 0)
  fail("\nPass these texts to l10n.t, or add their place to scripts/untranslated/origins.mjs if users never see them.");
