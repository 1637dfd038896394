import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { bundledPackages, thirdPartyNotices } from "../../scripts/release/bundled-packages.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the packages of others in a bundle", () => {
  let folder;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-bundled-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** What is found in a bundle that is made of these packages: their manifests and other files, by their folders. */
  async function found(packages) {
    const here = relative(root, folder).replaceAll("\\", "/");
    for (const [path, { manifest, files = {} }] of Object.entries(packages)) {
      await mkdir(join(folder, path), { recursive: true });
      await writeFile(join(folder, path, "package.json"), JSON.stringify(manifest));
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, path, name), text);
    }
    const inputs = [
      `${here}/src/main.ts`,
      ...Object.keys(packages).flatMap((path) => [`${here}/${path}/a.js`, `${here}/${path}/lib/b.js`]),
    ];
    await writeFile(join(folder, "inputs.json"), JSON.stringify(inputs));
    return bundledPackages(join(here, "inputs.json"));
  }

  const a = { manifest: { name: "a", version: "1.0.0", license: "MIT" }, files: { LICENSE: "The licence of a." } };

  it("are each of them once, by name and version, wherever they stand", async () => {
    const packages = await found({
      "node_modules/b": { ...a, manifest: { ...a.manifest, name: "b" } },
      "node_modules/@c/d": { ...a, manifest: { ...a.manifest, name: "@c/d" } },
      "node_modules/b/node_modules/a": { ...a, manifest: { ...a.manifest, version: "0.9.0" } },
      "node_modules/a": a,
    });
    assert.deepEqual(
      packages.map(({ name, version }) => `${name} ${version}`),
      ["@c/d 1.0.0", "a 0.9.0", "a 1.0.0", "b 1.0.0"],
    );
  });

  it("are named with their licences, and the notices that have to go with them", async () => {
    const files = {
      "License.txt": "The licence.\r\n",
      NOTICE: "Made by A.",
      "thirdpartynotices.txt": "With B inside.",
    };
    const notices = thirdPartyNotices(await found({ "node_modules/a": { ...a, files } }));
    assert.match(notices, /^a 1\.0\.0 \(MIT\)\n\nThe licence\.\n\nMade by A\.\nWith B inside\.\n/m);
  });

  it("share one text where their licences are the same to the letter", async () => {
    const notices = thirdPartyNotices(
      await found({
        "node_modules/a": a,
        "node_modules/b": { manifest: { ...a.manifest, name: "b" }, files: { LICENSE: "Another one." } },
        "node_modules/c": { ...a, manifest: { ...a.manifest, name: "c" } },
      }),
    );
    const [, ...parts] = notices.split(`${"-".repeat(80)}\n\n`);
    assert.deepEqual(parts, [
      "a 1.0.0 (MIT)\nc 1.0.0 (MIT)\n\nThe licence of a.\n\n",
      "b 1.0.0 (MIT)\n\nAnother one.\n",
    ]);
  });

  it("are refused without a licence, or without its text", async () => {
    await assert.rejects(found({ "node_modules/a": { ...a, manifest: { name: "a", version: "1.0.0" } } }), {
      message: "a 1.0.0 does not say its licence: find out before it is released.",
    });
    await assert.rejects(found({ "node_modules/c": { ...a, files: { NOTICE: "Made by A." } } }), {
      message: /node_modules.c says MIT and has no text of it: find it before it is released\.$/,
    });
  });
});
