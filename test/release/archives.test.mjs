import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settleModes } from "../../scripts/release/archives.mjs";

const module = new URL("../../scripts/release/archives.mjs", import.meta.url).href;
/** Time zones on both sides of Greenwich, and an umask that is as strict as one can be. */
const machines = [
  { zone: "America/Los_Angeles", umask: 0o077 },
  { zone: "UTC", umask: 0o022 },
  { zone: "Pacific/Kiritimati", umask: 0o002 },
];

describe("an archive", () => {
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-archives-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const ending of ["zip", "tar.gz"]) {
    it(`that ends with .${ending} has the same bytes in every time zone, and with every umask`, async () => {
      const made = [];
      for (const [index, { zone, umask }] of machines.entries()) {
        const place = join(folder, String(index));
        await mkdir(place);
        const files = ["program", "LICENSE"].map((name) => join(place, name));
        const archive = join(place, `a.${ending}`);
        const script = `
          import { writeFileSync } from "node:fs";
          import { writeArchive } from ${JSON.stringify(module)};
          process.umask(${umask});
          const files = ${JSON.stringify(files)};
          for (const file of files) writeFileSync(file, "contents");
          await writeArchive(${JSON.stringify(archive)}, files, { executables: [files[0]] });`;
        const env = { ...process.env, TZ: zone };
        const words = ["--input-type=module", "--eval", script];
        const { status, stderr } = spawnSync("node", words, { encoding: "utf8", env });
        assert.equal(status, 0, stderr);
        made.push((await readFile(archive)).toString("hex"));
      }
      assert.deepEqual(made.slice(1), [made[0], made[0]]);
    });
  }

  it("is made of files that all may read, where a packager keeps their modes", async function () {
    if (process.platform === "win32") return this.skip();
    await mkdir(join(folder, "bin"));
    const files = ["bin/program", "bin/chunk", "README.md"].map((name) => join(folder, name));
    for (const file of files) await writeFile(file, "", { mode: 0o600 });
    await settleModes(folder, { executables: [files[0]] });
    const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
    assert.deepEqual(modes, [0o755, 0o644, 0o644]);
  });
});
