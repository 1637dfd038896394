// node scripts/release/publish.mjs npm|marketplace|open-vsx FOLDER [--check] [--pause MILLISECONDS]
// Publishes the packages in FOLDER, and skips those that the registry has, so that a release that stopped half-way goes on.
// `--check` publishes nothing: it fails if the registry would refuse.
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fail, root } from "../set-up.mjs";
import { checksumProblems } from "./checksums.mjs";
import { refusal, registries } from "./registries.mjs";

const tries = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { check: { type: "boolean" }, pause: { type: "string", default: "5000" } },
});
const [name = "", folderName = ""] = positionals;
const registry = registries[name];
if (!registry || folderName === "") fail(`Say where to, and what: ${Object.keys(registries).join("|")} FOLDER.`);
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const folder = resolve(folderName);
const files = (await readdir(folder)).filter((file) => file.endsWith(registry.ending)).sort();
if (files.length === 0) fail(`There is no *${registry.ending} in ${folder}.`);
const problems = await checksumProblems(folder, files);
if (values.check) problems.push(...(await registry.problems()));
if (problems.length > 0) fail(problems.join("\n"));
if (values.check) console.log(`${name} is ready for ${files.join(", ")}.`);
else for (const file of files) await publish(file);

async function publish(file) {
  const path = join(folder, file);
  for (let round = 1; ; round++) {
    if (await registry.isThere?.(path, version)) return console.log(`${file} is there already.`);
    const { status, output } = await registry.publish(path);
    if (status === 0) return console.log(`${file} is published.`);
    if (registry.isThereAnswer.test(output)) return console.log(`${file} is there already.`);
    if (round === tries || refusal.test(output)) return fail(`${file} is not published:\n${output}`);
    console.error(`${file} is not published yet, and is tried again:\n${output}`);
    await wait(Number(values.pause) * 2 ** (round - 1));
  }
}
