// node scripts/release/check-version.mjs: fails when a manifest says another version than package.json, or the tag in TAG.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, root, run } from "../set-up.mjs";
import { changesOf, versionProblems } from "./version.mjs";

const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const problems = await versionProblems(root);
const tag = process.env.TAG ?? "";
if (tag !== "") {
  if (tag !== `v${version}`) problems.push(`The tag is ${tag}, and package.json says ${version}.`);
  const changelog = await readFile(join(root, "CHANGELOG.md"), "utf8");
  if (changesOf(changelog, version) === undefined) problems.push(`CHANGELOG.md has no section for ${version}.`);
}
if (run("node", [join(root, "scripts/release/manifests.mjs"), "--check"]) !== 0) problems.push("See above.");
if (problems.length > 0) fail(problems.join("\n"));
console.log(version);
