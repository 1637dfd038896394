import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { checksumProblems, checksumsName, sha256Of } from "../../scripts/release/checksums.mjs";
import { runWorkflow } from "../../scripts/workflows/workflow-run.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const workflow = join(root, ".github/workflows/release.yml");
const tag = "v1.2.3";
const limitMs = 180_000;
const author = ["-c", "user.name=a", "-c", "user.email=a@localhost"];
const isLinux = process.platform === "linux" && process.arch === "x64";
const names = ["symposium-linux-x64.tar.gz", "symposium-windows-x64.zip", "symposium-1.2.3.vsix"];

describe("a release that something happens to", function () {
  this.timeout(limitMs);
  let folder;
  let made;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-faults-"));
    made = join(folder, "artifacts/release");
    await mkdir(made, { recursive: true });
    for (const name of names) await writeFile(join(made, name), `the contents of ${name}`);
    const lines = names.map(async (name) => `${await sha256Of(join(made, name))}  ${name}\n`);
    await writeFile(join(made, checksumsName), (await Promise.all(lines)).join(""));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const node = (...words) => spawnSync("node", words, { cwd: root, encoding: "utf8" });
  const corrupt = (name) => writeFile(join(made, name), "something else");

  describe("its files", () => {
    it("are whole when nothing happened", async () => {
      assert.deepEqual(await checksumProblems(made), []);
    });

    it("are named where they are corrupted, missing or without a checksum", async () => {
      await corrupt(names[0]);
      await rm(join(made, names[1]));
      const problems = await checksumProblems(made, [...names, "stranger.zip"]);
      assert.deepEqual(
        problems.map((problem) => problem.replace(/ENOENT.*/, "ENOENT").replace(/[0-9a-f]{64}/, "SUM")),
        [
          `${names[0]} is not the file that was made: its SHA-256 is SUM.`,
          `${names[1]} cannot be read: ENOENT`,
          `stranger.zip has no checksum in ${checksumsName}.`,
        ],
      );
    });

    it("are refused without checksums", async () => {
      await writeFile(join(made, checksumsName), "no checksum\n");
      assert.deepEqual(await checksumProblems(made), [
        `${checksumsName} cannot be read: Line 1 is no checksum as sha256sum prints it: no checksum`,
      ]);
    });

    it("are not unpacked when they are corrupted", async () => {
      await corrupt(names[0]);
      const { status, stderr } = node("scripts/release/try-archive.mjs", "linux-x64", made);
      assert.equal(status, 1);
      assert.match(
        stderr,
        /^symposium-linux-x64\.tar\.gz is not the file that was made: its SHA-256 is [0-9a-f]{64}\.\n$/,
      );
    });

    it("are not unpacked when the archive was made corrupted", async () => {
      await writeFile(join(made, checksumsName), `${await sha256Of(join(made, names[0]))}  ${names[0]}\n`);
      const { status, stderr } = node("scripts/release/try-archive.mjs", "linux-x64", made);
      assert.equal(status, 1);
      assert.match(stderr, /^tar -xf .*symposium-linux-x64\.tar\.gz -C .* failed\.$/m);
    });

    it("are not published when they are corrupted", async () => {
      await corrupt(names[2]);
      const { status, stderr } = spawnSync("node", ["scripts/release/publish.mjs", "marketplace", made], {
        cwd: root,
        encoding: "utf8",
        env: { ...process.env, VSCE_PAT: "token" },
      });
      assert.equal(status, 1);
      assert.match(stderr, /^symposium-1\.2\.3\.vsix is not the file that was made: /);
    });
  });

  // The steps of release.yml itself, with a GitHub that is a folder.
  (isLinux ? describe : describe.skip)("its draft", () => {
    let releases;
    beforeEach(async () => {
      releases = join(folder, "releases");
      await mkdir(releases);
      // Copies the parts of this repository that the steps need.
      await cp(join(root, "scripts"), join(folder, "repository/scripts"), { recursive: true });
      await cp(join(root, "package.json"), join(folder, "repository/package.json"));
      for (const words of [
        ["init", "--quiet"],
        ["add", "."],
        [...author, "commit", "--quiet", "--message", "scripts"],
      ])
        assert.equal(spawnSync("git", words, { cwd: join(folder, "repository") }).status, 0);
    });

    /** How the job of that name ends. */
    async function job(name) {
      const jobs = await runWorkflow(workflow, {
        tag,
        jobs: [name],
        artifacts: join(folder, "artifacts"),
        repository: join(folder, "repository"),
        releases,
      });
      return jobs.find((record) => record.name === name).result;
    }

    async function release() {
      return JSON.parse(await readFile(join(releases, tag, "release.json"), "utf8"));
    }

    /** A draft with these assets, as an upload left it that broke off. */
    async function draft(assets, isDraft = true) {
      await mkdir(join(releases, tag), { recursive: true });
      await writeFile(join(releases, tag, "release.json"), JSON.stringify({ isDraft, assets }));
    }

    async function whole(name, note) {
      const text = await readFile(join(made, name));
      const digest = `sha256:${await sha256Of(join(made, name))}`;
      return { name, state: "uploaded", size: text.length, digest, ...(note !== undefined && { note }) };
    }

    it("gets every file, and is shown", async () => {
      await draft([]);
      assert.deepEqual([await job("upload"), await job("show")], ["success", "success"]);
      const all = await Promise.all([...names, checksumsName].map((name) => whole(name)));
      assert.deepEqual(await release(), { isDraft: false, assets: all });
    });

    it("gets only what it lacks, when an upload broke off", async () => {
      const half = { name: names[1], state: "starter", size: 3 };
      const other = { ...(await whole(names[2])), digest: `sha256:${"0".repeat(64)}` };
      await draft([await whole(names[0], "from before"), half, other]);
      assert.equal(await job("upload"), "success");
      const expected = [await whole(names[0], "from before"), await whole(names[1]), await whole(names[2])];
      assert.deepEqual((await release()).assets, [...expected, await whole(checksumsName)]);
    });

    it("is not shown while it lacks a file, or has one that nobody made", async () => {
      const all = await Promise.all([...names, checksumsName].map((name) => whole(name)));
      for (const assets of [all.slice(1), [...all, { ...all[0], name: "stranger.zip" }]]) {
        await draft(assets);
        assert.deepEqual([await job("show"), (await release()).isDraft], ["failure", true]);
      }
    });

    it("does not get a corrupted file", async () => {
      await draft([]);
      await corrupt(names[0]);
      assert.deepEqual([await job("upload"), (await release()).assets], ["failure", []]);
    });

    it("stays as it is when the same version is released a second time", async () => {
      const all = await Promise.all([...names, checksumsName].map((name) => whole(name, "shown")));
      await draft(all, false);
      assert.deepEqual([await job("upload"), await job("show")], ["success", "success"]);
      assert.deepEqual(await release(), { isDraft: false, assets: all });
    });

    it("is never changed once it is shown", async () => {
      const assets = [await whole(names[0])];
      await draft(assets, false);
      assert.equal(await job("upload"), "failure");
      assert.deepEqual(await release(), { isDraft: false, assets });
    });
  });
});
