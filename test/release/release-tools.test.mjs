import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create } from "tar";
import { platforms } from "../../scripts/release/platforms.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tools = join(root, "scripts/release/tools");
const limitMs = 180_000;

describe("the tools of a release", function () {
  this.timeout(limitMs);
  const json = async (...path) => JSON.parse(await readFile(join(tools, ...path), "utf8"));

  it("are locked, each package of each with its checksum and from no named server", async () => {
    const loose = [];
    const names = await readdir(tools);
    for (const name of names) {
      const { dependencies } = await json(name, "package.json");
      const { packages } = await json(name, "package-lock.json");
      const { "": own, ...others } = packages;
      assert.deepEqual(own.dependencies, dependencies);
      // Bundled packages are in the archive of the package around them.
      const separate = Object.entries(others).filter(([, { inBundle }]) => inBundle !== true);
      for (const [path, { version, integrity, resolved }] of separate) {
        const asked = dependencies[path.replace("node_modules/", "")] ?? version;
        if (asked !== version || !/^sha512-/.test(integrity) || resolved !== undefined) loose.push(`${name}: ${path}`);
      }
    }
    assert.deepEqual(
      [names, loose],
      [["bun", "expressions", "l10n-dev", "npm", "ovsx", "vitepress", "vsce", "zopfli"], []],
    );
  });

  it("have a Bun for every platform of the table, in one version", async () => {
    const { dependencies } = await json("bun", "package.json");
    const wanted = platforms.map(({ bun }) => `@oven/${bun.package}`);
    assert.deepEqual(Object.keys(dependencies).sort(), wanted.sort());
    assert.equal(new Set(Object.values(dependencies)).size, 1);
  });

  describe("that a registry has changed", () => {
    let folder;
    let server;
    let address;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "symposium-tools-"));
      await mkdir(join(folder, "package"));
      await writeFile(join(folder, "package/package.json"), "{}");
      await writeFile(join(folder, "package/evil.js"), "");
      await create({ cwd: folder, gzip: true, file: join(folder, "changed.tgz") }, ["package"]);
      server = createServer(async (request, response) => {
        if (request.url.endsWith(".tgz")) return response.end(await readFile(join(folder, "changed.tgz")));
        const name = decodeURIComponent(request.url.slice(1));
        const path = `node_modules/${name}`;
        const locks = await Promise.all(["bun", "expressions"].map((tool) => json(tool, "package-lock.json")));
        const { version } = locks.flatMap(({ packages }) => packages[path] ?? [])[0];
        const versions = { [version]: { name, version, dist: { tarball: `${address}/${name}.tgz` } } };
        return response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
      }).listen(0, "127.0.0.1");
      await once(server, "listening");
      address = `http://127.0.0.1:${server.address().port}`;
      await mkdir(join(folder, "copy/scripts/release"), { recursive: true });
      for (const path of [
        "set-up.mjs",
        "locked-packages.mjs",
        "release/release-tools.mjs",
        "release/platforms.mjs",
        "release/identity.mjs",
        "release/tools",
      ])
        await cp(join(root, "scripts", path), join(folder, "copy/scripts", path), { recursive: true });
    });
    afterEach(async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    });

    const runtime = 'bunRuntime("bun-linux-x64-baseline")';
    const calls = { "a tool": "expressionsFolder()", "a runtime": runtime, "a runtime, in a linked cache": runtime };
    for (const [what, call] of Object.entries(calls)) {
      it(`are not installed: ${what}`, async () => {
        if (what.endsWith("linked cache")) {
          await mkdir(join(folder, "elsewhere"));
          await symlink(join(folder, "elsewhere"), join(folder, "copy/.cache"), "junction");
        }
        const script = `import * as tools from "./scripts/release/release-tools.mjs"; await tools.${call};`;
        const npm = { npm_config_registry: address, npm_config_cache: join(folder, "cache") };
        const child = spawn("node", ["--input-type=module", "--eval", script], {
          cwd: join(folder, "copy"),
          env: { ...process.env, ...npm, npm_config_fetch_retries: "0" },
          stdio: ["ignore", "pipe", "pipe"],
        });
        let output = "";
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (text) => (output += text));
        const [code] = await once(child, "close");
        assert.equal(code, 1, output);
        assert.match(output, /EINTEGRITY/);
        assert.deepEqual(await readdir(join(folder, "copy/.cache/release-tools")), []);
      });
    }
  });
});
