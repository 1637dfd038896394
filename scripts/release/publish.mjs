// node scripts/release/publish.mjs npm|marketplace|open-vsx FOLDER [--registry URL] [--pause MILLISECONDS]
// Publishes the packages in FOLDER. What is there already is left alone, so that a release that stopped half-way goes on.
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { fail, root, spawnArguments, toolEnvironment } from "../set-up.mjs";
import { checksumProblems } from "./checksums.mjs";
import { product } from "./identity.mjs";
import { ovsxProgram } from "./release-tools.mjs";

const tries = 4;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { registry: { type: "string" }, pause: { type: "string", default: "5000" } },
});
const [place = "", folderName = ""] = positionals;
const registry = values.registry === undefined ? [] : ["--registry", values.registry];
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

/** How each place takes a file, and how it says that it has it already. */
const places = {
  npm: {
    ending: ".tgz",
    publish: (file) => ["npm", "publish", file, "--access", "public", ...npmOptions()],
    has: () =>
      capture(["npm", "view", `${product.npmPackage}@${version}`, "version", ...registry]).stdout.trim() === version,
    alreadyThere: /cannot publish over|EPUBLISHCONFLICT|previously published/i,
  },
  marketplace: {
    ending: ".vsix",
    secret: "VSCE_PAT",
    publish: (file) => ["vsce", "publish", "--packagePath", file],
    alreadyThere: /already exists/i,
  },
  "open-vsx": {
    ending: ".vsix",
    secret: "OVSX_PAT",
    publish: async (file) => [
      process.execPath,
      await ovsxProgram(),
      "publish",
      file,
      ...(values.registry === undefined ? [] : ["--registryUrl", values.registry]),
    ],
    alreadyThere: /is already published/i,
  },
};

const target = places[place];
if (!target || folderName === "") fail(`Say where to, and what: ${Object.keys(places).join("|")} FOLDER.`);
if (target.secret !== undefined && !process.env[target.secret])
  fail(`${target.secret} is not set: it is the token of ${place}.`);
const folder = resolve(folderName);
const files = (await readdir(folder)).filter((name) => name.endsWith(target.ending)).sort();
if (files.length === 0) fail(`There is no *${target.ending} in ${folder}.`);
const problems = await checksumProblems(folder, files);
if (problems.length > 0) fail(problems.join("\n"));
for (const file of files) await publish(file);

async function publish(file) {
  for (let round = 1; ; round++) {
    if (target.has?.() === true) return say(`${file} is there already.`);
    const { status, output } = capture(await target.publish(join(folder, file)));
    if (status === 0) return say(`${file} is published.`);
    if (target.alreadyThere.test(output)) return say(`${file} is there already.`);
    if (round === tries) return fail(`${file} is not published:\n${output}`);
    console.error(`${file} is not published yet, and is tried again:\n${output}`);
    await wait(Number(values.pause) * 2 ** (round - 1));
  }
}

/** Provenance is what GitHub vouches for; nobody else can. */
function npmOptions() {
  return [...(process.env.GITHUB_ACTIONS === "true" ? ["--provenance"] : []), ...registry];
}

function capture([program, ...words]) {
  const options = { encoding: "utf8", env: toolEnvironment() };
  const { status, stdout, stderr, error } = spawnSync(...spawnArguments(program, words, options));
  if (error) fail(`${program} cannot be started: ${error.message}. If packages are not installed, run npm ci first.`);
  return { status, stdout, output: `${stdout}${stderr}` };
}

function say(text) {
  console.log(text);
}
