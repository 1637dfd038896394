// npm run release -- X.Y.Z: makes the repository say X.Y.Z everywhere. What is committed and pushed is yours to see first.
import { spawnSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fail, root as repository, run } from "../set-up.mjs";
import { product } from "./identity.mjs";
import { isLater, versionProblems, withReleasedChanges, writeVersion } from "./version.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: "string" } } });
const root = resolve(values.root ?? repository);
const [next = ""] = positionals;
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
if (!isLater(next, version)) fail(`"${next}" is no version after ${version}: npm run release -- X.Y.Z`);
if (isLater(product.firstVersion, next))
  fail(`"${next}" is before ${product.firstVersion}, the first version: users may have the original project's.`);

const status = spawnSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
if (status.status !== 0) fail(`git cannot tell what is changed: ${status.stderr}`);
if (status.stdout !== "") fail(`There are changes that are not committed:\n${status.stdout}`);
const problems = await versionProblems(root);
if (problems.length > 0) fail(problems.join("\n"));

const changelog = join(root, "CHANGELOG.md");
const date = new Date().toISOString().slice(0, 10);
let released;
try {
  released = withReleasedChanges(await readFile(changelog, "utf8"), next, date);
} catch (error) {
  fail(error.message);
}
await writeVersion(root, next);
await writeFile(changelog, released);
if (run("node", [join(root, "scripts/release/manifests.mjs")]) !== 0)
  fail("The manifests cannot be written: see above.");
console.log(`All manifests and the changelog have version ${next}. Review the changes, then run:
  git commit --all --message "Release ${next}" && git tag --annotate v${next} --message "Release ${next}"
  git push --follow-tags
The tag starts the release. To revert the version before the commit: git checkout -- .`);
