import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DiskFiles } from "../../../../src/extensions/packages/node/disk-files.js";
import { fetchFromMaven } from "../../../../src/extensions/packages/node/fetch-maven.js";
import { PackageFolders } from "../../../../src/extensions/packages/package-folder.js";
import type { InstalledPackage } from "../../../../src/extensions/packages/package-reader.js";
import { zipArchive } from "../../../agents/install/archive-bytes.js";

describe("artifacts of the JVM that mean harm", () => {
  let folder: string;

  beforeEach(async () => (folder = (await mkdtemp(join(tmpdir(), "symposium-jvm-"))).replaceAll("\\", "/")));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("lead from their jar to no file outside of it", async () => {
    await mkdir(join(folder, "m2"));
    await writeFile(join(folder, "secret.java"), "secret");
    const jar = `${folder}/m2/x-1-sources.jar`;
    const members = [
      { name: "a/B.java", data: "class B {}" },
      { name: "link.java", data: "../secret.java", mode: 0o120777 },
    ];
    await writeFile(jar, zipArchive(members));
    const files = new DiskFiles();
    const found: InstalledPackage = {
      kind: "installed",
      ecosystem: "jvm",
      name: "a:x",
      version: "1",
      folder: jar,
      subpath: "",
      why: [],
      others: [],
      isFixed: true,
    };
    const folders = new PackageFolders(files);
    assert.deepEqual((await folders.paths(found)).files, ["a/B.java"]);
    assert.equal(await folders.text(found, "a/B.java"), "class B {}");
    for (const path of ["../../secret.java", "link.java", "/etc/passwd", "a/../../../secret.java"]) {
      await assert.rejects(folders.text(found, path), /has no file/, path);
    }
  });

  it("are nothing where their names lead outside, or the archive is none", async () => {
    const hostile = `${folder}/y-1.jar`;
    await writeFile(hostile, zipArchive([{ name: "../../evil.java", data: "evil" }]));
    const damaged = `${folder}/z-1.jar`;
    await writeFile(damaged, "PK no archive");
    const files = new DiskFiles();
    for (const jar of [hostile, damaged]) {
      assert.deepEqual(await files.list(jar), []);
      assert.equal(await files.read(`${jar}/../../evil.java`), undefined);
    }
  });

  it("are fetched by no name or version that is none, before mvn starts, and by mvn in an empty folder", async function () {
    if (process.platform === "win32") return this.skip();
    this.timeout(120_000);
    const said = join(folder, "said");
    await writeFile(join(folder, "mvn"), `#!/bin/sh\n{ ls -A; printf '%s\\n' "$@"; } > "${said}"\nexit 1\n`);
    await chmod(join(folder, "mvn"), 0o755);
    const options = { watchdog: undefined, env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` } };
    const { signal } = new AbortController();
    const fetch = (name: string, version: string | undefined): Promise<unknown> =>
      fetchFromMaven({ name, version, project: undefined }, options, signal);
    for (const name of ["zod", "-Dx:y", "a:b:c", "a:../b", "a:b -Dexec", "https://registry.example/a:b", ""]) {
      await assert.rejects(fetch(name, "1.0"), /isn't an artifact/, name);
    }
    for (const version of [undefined, "", "1.0 -Dx=y", "../1", "LATEST;rm", "[1,2)"]) {
      await assert.rejects(fetch("com.acme:money", version), /isn't an artifact version/, version);
    }
    await assert.rejects(readFile(said), /ENOENT/);
    await assert.rejects(fetch("com.acme:money", "1.2"), /mvn cannot fetch the sources of com\.acme:money 1\.2/);
    const words = (await readFile(said, "utf8")).trim().split("\n");
    // Its own `.mvn` keeps Maven from those of folders above.
    assert.deepEqual(words.slice(0, 3), [".mvn", "-B", "-q"]);
    assert.deepEqual(words.slice(-2), ["-Dartifact=com.acme:money:1.2:jar:sources", "-Dtransitive=false"]);
  });
});
