import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const author = ["-c", "user.name=a", "-c", "user.email=a@localhost"];

/** The path of a new Git repository in `folder` with these files, by their paths, in one commit. */
export async function repositoryWith(folder, files) {
  const repository = join(folder, "repository");
  await mkdir(join(repository, "src"), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(repository, name)), { recursive: true });
    await writeFile(join(repository, name), text);
  }
  for (const words of [
    ["init", "--quiet"],
    ["add", "."],
    [...author, "commit", "--quiet", "--allow-empty", "-m", "one"],
  ])
    assert.equal(spawnSync("git", words, { cwd: repository }).status, 0, words.join(" "));
  return repository;
}

/** Runs `npm run workflows` with these words, and returns its exit code and output. */
export async function runProgram(...words) {
  const child = spawn("node", ["scripts/workflows.mjs", ...words], { cwd: root });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const [code] = await once(child, "close");
  return { code, output };
}
