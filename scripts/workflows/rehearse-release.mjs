import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { product } from "../release/identity.mjs";
import { isLater } from "../release/version.mjs";
import { checkOut } from "./actions.mjs";
import { startRehearsal } from "./rehearsal.mjs";
import { runWorkflow } from "./workflow-run.mjs";

/**
 * Releases the next version of `repository`, from `npm run release` to the site, with stand-ins for everything outside of
 * this machine. Returns the jobs and `isPublic`, everything that users could download at the end.
 */
export async function rehearseRelease({ repository, say, signal }) {
  const folder = await mkdtemp(join(tmpdir(), "symposium-rehearsal-"));
  const rehearsal = await startRehearsal({ folder });
  try {
    const clone = join(folder, "repository");
    await checkOut(repository, clone);
    const version = await releaseIn(clone);
    const releases = join(folder, "releases");
    const file = join(clone, ".github/workflows/release.yml");
    const jobs = await runWorkflow(file, { repository: clone, tag: `v${version}`, releases, rehearsal, say, signal });
    return { jobs, isPublic: await publicThings({ rehearsal, releases, version }) };
  } finally {
    rehearsal.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns everything that is public of `version`: files of the shown release, packages by registry, and pages. */
export async function publicThings({ rehearsal, releases, version }) {
  const folder = join(releases, `v${version}`);
  const release = await readFile(join(folder, "release.json"), "utf8").then(JSON.parse, () => ({ isDraft: true }));
  const targets = (versions, name) =>
    versions.filter((had) => had.version === version).map((had) => had[name] ?? "all");
  return {
    release: release.isDraft ? [] : (await readdir(folder)).filter((name) => name !== "release.json").sort(),
    npm: Object.keys(rehearsal.npm.published.get(product.npmPackage) ?? {}).filter((had) => had === version),
    marketplace: targets(rehearsal.marketplace.versions, "targetPlatform"),
    openVsx: targets(rehearsal.openVsx.versions, "target"),
    site: await rehearsal.site(),
  };
}

/** Commits the next version in a clone, as a maintainer would, and returns it. */
async function releaseIn(clone) {
  const { version } = JSON.parse(await readFile(join(clone, "package.json"), "utf8"));
  const [major, minor] = version.split(".");
  const next = isLater(product.firstVersion, version) ? product.firstVersion : `${major}.${Number(minor) + 1}.0`;
  const author = ["-c", "user.name=rehearsal", "-c", "user.email=rehearsal@localhost"];
  for (const [program, ...words] of [
    ["git", "add", "--all"],
    ["git", ...author, "commit", "--quiet", "--allow-empty", "--message", "Rehearse"],
    [process.execPath, "scripts/release/release.mjs", next],
    ["git", ...author, "commit", "--quiet", "--all", "--message", `Release ${next}`],
  ]) {
    const { status, stderr, stdout } = spawnSync(program, words, { cwd: clone, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed: ${stderr}${stdout}`);
  }
  return next;
}
