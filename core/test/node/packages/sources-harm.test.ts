import assert from "node:assert/strict";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fetchFromNpm } from "../../../src/packages/node/fetch-npm.js";
import { FetchedFolder } from "../../../src/packages/node/fetched-folder.js";
import { SourcesStage } from "./sources-stage.js";

const address = "x@git+https://registry.example/r.git#";

describe("names and paths that files of a project give, and mean harm", function () {
  this.timeout(60_000);

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
      await assert.rejects(fetchFromNpm(wish, { watchdog: undefined, env }, signal), /is no name of a package/, name);
      assert.equal(await new FetchedFolder(env).folderOf("npm", name, "1.0.0"), undefined, name);
    }
  });

  it("gives npm the name behind `--`", async function () {
    if (process.platform === "win32") this.skip();
    await using stage = await SourcesStage.open({ npm: `#!/bin/sh\nprintf '%s\\n' "$@" > "$SAID"\nexit 1\n` });
    await chmod(join(stage.folder, "npm"), 0o755);
    const said = join(stage.folder, "said");
    const env = { PATH: stage.folder, SYMPOSIUM_CONFIG_DIR: stage.folder, SAID: said };
    const wish = { name: "zod", version: "^4", project: undefined };
    const fetched = fetchFromNpm(wish, { watchdog: undefined, env }, new AbortController().signal);
    await assert.rejects(fetched, /npm cannot fetch zod@\^4/);
    assert.deepEqual((await readFile(said, "utf8")).trim().split("\n").slice(-2), ["--", "zod@^4"]);
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
    assert.match(await ask("../private/.yarn/x.js"), /is not in \/stage\/cwd/);
    assert.match(await ask(join(stage.folder, "private/.pnpm/a/b/x.js")), /is not in \/stage\/cwd/);
    assert.match(await ask("../private/node_modules/lib/new/x.js"), /^lib 1\.0\.0 \(npm\)\n/);
    assert.match(await ask("new/x.js"), /not installed here/);
  });
});
