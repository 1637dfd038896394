import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fetchFromNpm } from "../../../../src/extensions/packages/node/fetch-npm.js";
import { fetchFromPython } from "../../../../src/extensions/packages/node/fetch-python.js";
import { FetchedFolder } from "../../../../src/extensions/packages/node/fetched-folder.js";
import { leaveOut } from "../../../needs-cargo.js";
import { environmentIn, openPython, sitePath } from "./python-stage.js";
import { SourcesStage } from "./sources-stage.js";

const address = "x@git+https://registry.example/r.git#";

describe("names and paths that files of a project give, and mean harm", function () {
  this.timeout(120_000);

  it("never calls a package by what npm would take for an address", async () => {
    await using stage = await SourcesStage.open({
      "package.json": `{"dependencies": {"here": "1.0.0", "gone": "${address}"}}`,
      "package-lock.json": JSON.stringify({
        lockfileVersion: 3,
        packages: { "": {}, "node_modules/gone": { name: address, version: address } },
      }),
      "node_modules/here/package.json": JSON.stringify({ name: address, version: "1.0.0" }),
    });
    assert.match(await stage.call("package_sources", { name: "here" }), /^here 1\.0\.0 \(npm\)\n/);
    const absent = await stage.call("package_sources", { name: "gone" });
    assert.match(absent, /^gone /);
    assert.match(absent, /npm pack gone --ignore-scripts\.$/);
  });

  it("fetches nothing whose name is none, before npm starts", async () => {
    await using stage = await SourcesStage.open();
    const env = { PATH: stage.folder, SYMPOSIUM_CONFIG_DIR: stage.folder };
    const signal = new AbortController().signal;
    for (const name of [address, "..\\..\\x", "../x", "--registry", "", "@a/b/c", "x".repeat(215)]) {
      const wish = { name, version: "1.0.0", project: undefined };
      await assert.rejects(fetchFromNpm(wish, { watchdog: undefined, env }, signal), /isn't a package name/, name);
      assert.equal(await new FetchedFolder(env).folderOf("npm", name, "1.0.0"), undefined, name);
    }
  });

  it("fetches no version that is a folder, an archive or another name", async () => {
    await using stage = await SourcesStage.open();
    const options = { watchdog: undefined, env: { PATH: stage.folder, SYMPOSIUM_CONFIG_DIR: stage.folder } };
    const { signal } = new AbortController();
    for (const version of [".", "..", "-x", "evil.tgz", "evil.TAR", "a.tar.gz", "file:x", "a/b", ""]) {
      const fetched = fetchFromNpm({ name: "zod", version, project: undefined }, options, signal);
      await assert.rejects(fetched, /isn't a version, range or tag/, version);
    }
    for (const version of ["oauthlib", "latest", "_x"]) {
      const fetched = fetchFromPython({ name: "requests", version, project: undefined }, options, signal);
      await assert.rejects(fetched, /isn't a version or range/, version);
    }
  });

  it("reads nothing that links and lists of an environment name outside of it", async function () {
    if (process.platform === "win32") return this.skip();
    const wheel = { name: "lib", version: "1.0", files: ["lib/__init__.py", "key.txt", "keys/a.txt"] };
    await using stage = await openPython({
      "app/pyproject.toml": "",
      "private/key.txt": "secret",
      "private/id_key": "secret",
      ...environmentIn("app/.venv", { "lib-1.0.dist-info": wheel }, { "out.pth": "/stage/private\n" }),
    });
    const site = join(stage.folder, "app/.venv", sitePath);
    await stage.write({ [`app/.venv/${sitePath}/out.pth`]: `${stage.folder}/private\n` });
    await symlink(join(stage.folder, "private/key.txt"), join(site, "key.txt"));
    await symlink(join(stage.folder, "private"), join(site, "keys"));
    const from = "app/main.py";
    assert.match(await stage.call("package_search", { name: "lib", pattern: "secret|lib", from }), /Name: lib/);
    assert.doesNotMatch(await stage.call("package_search", { name: "lib", pattern: "secret", from }), /: secret/);
    assert.match(await stage.call("package_file", { name: "lib", path: "keys/key.txt", from }), /has no file/);
    assert.match(await stage.call("package_file", { name: "id_key", path: "id_key", from }), /is not installed here/);
  });

  it("takes no folder of the user for an editable installation, whatever an environment says", async () => {
    await using stage = await openPython({ "app/pyproject.toml": "", "private/key.txt": "secret" });
    const folder = stage.folder.replaceAll("\\", "/");
    const url = `file://${folder.startsWith("/") ? "" : "/"}${folder}/private`;
    const wheel = { name: "lib", version: "1.0", files: ["lib/__init__.py"] };
    await stage.write(
      environmentIn(
        "app/.venv",
        { "lib-1.0.dist-info": wheel },
        { "lib-1.0.dist-info/direct_url.json": JSON.stringify({ url, dir_info: { editable: true } }) },
      ),
    );
    const answer = await stage.call("package_file", { name: "lib", path: "key.txt", from: "app/main.py" });
    assert.match(answer, /has no file "key\.txt"/);
  });

  it("says where links of node_modules lead, and reads them in the workspace and the repository alone", async function () {
    if (process.platform === "win32") leaveOut(this, "links need rights there");
    const manifest = (name: string): string => JSON.stringify({ name, version: "1.0.0", types: "index.d.ts" });
    await using stage = await SourcesStage.open({
      "repo/.git/HEAD": "",
      "repo/web/package.json": JSON.stringify({ name: "web", dependencies: { shop: "*", secret: "*", tool: "*" } }),
      "repo/shop/package.json": manifest("shop"),
      "repo/shop/index.d.ts": "export declare const price: number;\n",
      "private/package.json": manifest("secret"),
      "private/index.d.ts": "export declare const password: string;\n",
      "lib/node_modules/tool/package.json": manifest("tool"),
    });
    const modules = join(stage.folder, "repo/web/node_modules");
    await mkdir(modules, { recursive: true });
    await symlink(join(stage.folder, "repo/shop"), join(modules, "shop"));
    await symlink(join(stage.folder, "private"), join(modules, "secret"));
    await symlink(join(stage.folder, "lib/node_modules/tool"), join(modules, "tool"));
    const inWeb = stage.servers(join(stage.folder, "repo/web"));
    const secret = await stage.call("package_sources", { name: "secret" }, inWeb);
    assert.match(secret, /node_modules\/secret is a link to \/stage\/private, which is outside the workspace/);
    assert.doesNotMatch(secret, /password|1\.0\.0/);
    for (const [tool, more] of [
      ["package_item", { symbol: "password" }],
      ["package_search", { pattern: "password:" }],
      ["package_file", { path: "index.d.ts" }],
    ] as const) {
      assert.doesNotMatch(await stage.call(tool, { name: "secret", ...more }, inWeb), /password: string/);
    }
    // Beside the session's folder, in the same repository, and where a package manager installs.
    assert.match(await stage.call("package_sources", { name: "shop" }, inWeb), /^shop 1\.0\.0 \(npm\)/);
    assert.match(await stage.call("package_sources", { name: "tool" }, inWeb), /^tool 1\.0\.0 \(npm\)/);
    // A session that has both folders.
    const above = stage.servers(stage.folder);
    const from = "repo/web/package.json";
    assert.match(await stage.call("package_sources", { name: "secret", from }, above), /^secret 1\.0\.0 \(npm\)/);
  });

  it("follows no version, path or link of a module of Go out of the cache and of vendor", async function () {
    const env = {
      GOMODCACHE: "/stage/cache",
      GOROOT: "/stage/goroot",
      GOENV: "/stage/go.env",
      GOFLAGS: "",
      GOWORK: "",
    };
    const requires = "require (\n\ta.example/x v1/../../../../private\n\ta.example/y v1.0.0\n)\n";
    await using stage = await SourcesStage.open(
      {
        "app/go.mod": `module app\n\ngo 1.22\n\n${requires}\nreplace a.example/y => ../private\n`,
        "cache/a.example/x@v1/x.go": "package x\n",
        "private/key.txt": "secret",
        "vendored/go.mod": "module v\n\ngo 1.22\n\nrequire b.example/x v1.0.0\n",
        "vendored/vendor/modules.txt":
          "# ../../private v1.0.0\nb.example/z\n# b.example/x v1.0.0\n## explicit\nb.example/x\n",
      },
      env,
    );
    const ask = (name: string, from: string) => stage.call("package_file", { name, path: "key.txt", from });
    assert.doesNotMatch(await ask("a.example/x", "app/main.go"), /secret/);
    assert.match(await ask("a.example/y", "app/main.go"), /is not installed here/);
    assert.match(await ask("b.example/z", "vendored/main.go"), /is not installed here/);
    if (process.platform === "win32") return;
    await mkdir(join(stage.folder, "vendored/vendor/b.example"));
    await symlink(join(stage.folder, "private"), join(stage.folder, "vendored/vendor/b.example/x"));
    assert.match(await ask("b.example/x", "vendored/main.go"), /is not installed here/);
  });

  it("walks from an importer that is not there only through folders that may be asked about", async () => {
    await using stage = await SourcesStage.open({
      "cwd/package.json": "{}",
      "private/package.json": `{"name": "private", "version": "1.0.0", "dependencies": {"lib": "1.0.0"}}`,
      "private/node_modules/lib/package.json": `{"name": "lib", "version": "1.0.0"}`,
      "private/node_modules/lib/index.js": "",
    });
    const servers = stage.servers(join(stage.folder, "cwd"));
    const ask = (from: string) => stage.call("package_sources", { name: "lib", from }, servers);
    assert.match(await ask("../private/.yarn/x.js"), /isn't in \/stage\/cwd/);
    assert.match(await ask(join(stage.folder, "private/.pnpm/a/b/x.js")), /isn't in \/stage\/cwd/);
    assert.match(await ask("../private/node_modules/lib/new/x.js"), /^lib 1\.0\.0 \(npm\)\n/);
    assert.match(await ask("new/x.js"), /not installed here/);
  });
});
