// node scripts/release/github-release.mjs upload|publish TAG FOLDER
// `upload` brings the draft of TAG to what is in FOLDER, and sends only what it lacks; `publish` shows it, once it lacks
// nothing. What is shown already is never changed. Speaks with GitHub through gh.
import { spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fail } from "../set-up.mjs";
import { checksumProblems, checksumsIn, checksumsName, sha256Of } from "./checksums.mjs";

const [action = "", tag = "", folderName = ""] = process.argv.slice(2);
const actions = { upload, publish };
if (!Object.hasOwn(actions, action) || tag === "" || folderName === "")
  fail(`Say what to do, with which release: ${Object.keys(actions).join("|")} TAG FOLDER.`);
const folder = resolve(folderName);
const problems = await checksumProblems(folder);
if (problems.length > 0) fail(problems.join("\n"));
const names = [...Object.keys(await checksumsIn(folder)), checksumsName];
const { isDraft, assets } = JSON.parse(gh(["release", "view", tag, "--json", "isDraft,assets"]));
const lacking = await lackingFiles();
await actions[action]();

function upload() {
  if (lacking.length === 0) return say(`The release ${tag} has every file already.`);
  if (!isDraft) fail(`The release ${tag} is shown already, and never changed: it lacks ${lacking.join(", ")}.`);
  // `--clobber` replaces files whose upload was interrupted.
  gh(["release", "upload", tag, ...lacking.map((name) => join(folder, name)), "--clobber"]);
  return say(`Uploaded to the draft of ${tag}: ${lacking.join(", ")}.`);
}

function publish() {
  const strange = assets.map(({ name }) => name).filter((name) => !names.includes(name));
  if (lacking.length > 0) fail(`The release ${tag} is not complete: it lacks ${lacking.join(", ")}.`);
  if (strange.length > 0) fail(`The release ${tag} has files that nobody made here: ${strange.join(", ")}.`);
  if (!isDraft) return say(`The release ${tag} is shown already.`);
  gh(["release", "edit", tag, "--draft=false"]);
  return say(`The release ${tag} is shown.`);
}

/** The names of the files that GitHub does not have as they are here. */
async function lackingFiles() {
  const isThere = await Promise.all(names.map(async (name) => isWhole(assets.find((asset) => asset.name === name))));
  return names.filter((_, index) => !isThere[index]);
}

async function isWhole(asset) {
  if (asset === undefined || asset.state !== "uploaded") return false;
  const file = join(folder, asset.name);
  if (asset.size !== (await stat(file)).size) return false;
  // Older versions of gh do not say it.
  return asset.digest ? asset.digest === `sha256:${await sha256Of(file)}` : true;
}

function gh(words) {
  const { status, stdout, stderr, error } = spawnSync("gh", words, { encoding: "utf8" });
  if (error) fail(`gh cannot be started: ${error.message}`);
  if (status !== 0) fail(`gh ${words.join(" ")} failed:\n${stderr}`);
  return stdout;
}

function say(text) {
  console.log(text);
}
