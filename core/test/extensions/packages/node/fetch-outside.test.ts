import assert from "node:assert/strict";
import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fetchFromNpm } from "../../../../src/extensions/packages/node/fetch-npm.js";
import { fetchPackage } from "../../../../src/extensions/packages/node/fetch-package.js";
import { sourcesServices } from "../../../../src/extensions/sources/node.js";
import { trusting } from "../../../../testing/scripted-client.js";
import { SourcesStage } from "./sources-stage.js";

const { signal } = new AbortController();

/** A stage whose folder is PATH and has these clients, each a shell script that can use `$STAGE`. */
async function withClients(clients: Readonly<Record<string, string>>): Promise<SourcesStage> {
  const stage = await SourcesStage.open();
  for (const [path, script] of Object.entries(clients)) {
    await stage.write({ [path]: `#!/bin/sh\nSTAGE='${stage.folder}'\n${script}\n` });
    await chmod(join(stage.folder, path), 0o755);
  }
  return stage;
}

function environmentOf(stage: SourcesStage, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  return { PATH: stage.folder, SYMPOSIUM_CONFIG_DIR: join(stage.folder, ".config"), ...more };
}

describe("clients that fetch packages outside of the sandbox", () => {
  // The clients of these tests are shell scripts.
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  it("get the name behind `--`", async () => {
    await using stage = await withClients({ npm: `printf '%s\\n' "$@" > "$STAGE/said"; exit 1` });
    const wish = { name: "zod", version: "^4", project: undefined };
    const fetched = fetchFromNpm(wish, { watchdog: undefined, env: environmentOf(stage) }, signal);
    await assert.rejects(fetched, /npm cannot fetch zod@\^4/);
    const said = await readFile(join(stage.folder, "said"), "utf8");
    assert.deepEqual(said.trim().split("\n").slice(-2), ["--", "zod@^4"]);
  });

  it("are not taken from the project if agents are in a sandbox, even if it is first on PATH", async () => {
    const mark = (name: string): string => `: > "$STAGE/ran-${name}"; exit 1`;
    const clients = { "app/node_modules/.bin/npm": mark("planted"), "tools/npm": mark("own") };
    await using stage = await withClients(clients);
    const folder = join(stage.folder, "app");
    const path = [join(folder, "node_modules/.bin"), join(stage.folder, "tools")].join(":");
    const env = environmentOf(stage, { PATH: path });
    const services = sourcesServices({ watchdog: undefined, trust: trusting(), isConfined: true, env });
    const wish = { ecosystem: "npm", name: "zod", version: undefined, folder };
    await assert.rejects(services.fetch(wish, signal), /npm cannot fetch zod/);
    const ran = (await readdir(stage.folder)).filter((name) => name.startsWith("ran-"));
    assert.deepEqual(ran, ["ran-own"]);
  });

  for (const [ecosystem, client, name] of [
    ["npm", "npm", "zod"],
    ["python", "pip", "requests"],
    ["go", "go", "lib.example/one"],
    ["jvm", "mvn", "com.example:lib"],
  ] as const) {
    it(`run ${client} without variables that make it load code`, async () => {
      await using stage = await withClients({ [client]: `/usr/bin/env > "$STAGE/said"; exit 1` });
      const harmful = ["NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONHOME", "GOFLAGS", "MAVEN_OPTS", "LD_PRELOAD"];
      const env = environmentOf(stage, {
        ...Object.fromEntries(harmful.map((one) => [one, "planted"])),
        ...{ npm_config_node_options: "planted", npm_config_userconfig: "planted", PIP_CONFIG_FILE: "planted" },
        ...{ HTTPS_PROXY: "http://proxy.example", NPM_TOKEN: "token", JAVA_HOME: join(stage.folder, "app/jdk") },
      });
      const options = { watchdog: undefined, env, notFrom: [join(stage.folder, "app")] };
      const fetched = fetchPackage(ecosystem, { name, version: "1.0.0", project: undefined }, options, signal);
      await assert.rejects(fetched);
      const said = (await readFile(join(stage.folder, "said"), "utf8")).split("\n");
      assert.deepEqual(
        said.filter((line) => line.includes("planted") || line.startsWith("JAVA_HOME=")),
        [],
      );
      assert.deepEqual(said.filter((line) => /^(?:HTTPS_PROXY|NPM_TOKEN)=/.test(line)).sort(), [
        "HTTPS_PROXY=http://proxy.example",
        "NPM_TOKEN=token",
      ]);
    });
  }
});

describe("modules of Go that an agent names", () => {
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  /** Answers as go does for these settings, and notes each download with its GOPROXY and GOVCS. */
  const go = (proxy: string, direct: string): string =>
    `[ "$1" = env ] && { echo '${JSON.stringify({ GOPROXY: proxy, GONOPROXY: direct })}'; exit 0; }
echo "$* $GOPROXY $GOVCS" >> "$STAGE/downloads"
echo '{"Version":"v1.0.0","Dir":"/cache/one"}'`;

  async function downloadsOf(name: string, proxy: string, direct = ""): Promise<string> {
    await using stage = await withClients({ go: go(proxy, direct) });
    const options = { watchdog: undefined, env: environmentOf(stage) };
    const wish = { name, version: "1.0.0", project: undefined };
    const said = await fetchPackage("go", wish, options, signal).then(
      () => "",
      (error: unknown) => String(error),
    );
    return said + (await readFile(join(stage.folder, "downloads"), "utf8").catch(() => ""));
  }

  it("are downloaded from the configured proxies and never from their own host", async () => {
    const fetched = "mod download -json evil.example/one@v1.0.0";
    for (const [proxy, only] of [
      ["https://a.example,direct", "https://a.example"],
      ["https://a.example|https://b.example,direct,https://c.example", "https://a.example|https://b.example"],
      ["https://a.example,off", "https://a.example"],
      ["https://direct.example", "https://direct.example"],
    ] as const) {
      assert.equal(await downloadsOf("evil.example/one", proxy), `${fetched} ${only} *:off\n`, proxy);
    }
  });

  it("are not downloaded if go would connect to their host, and the error says how to be asked", async () => {
    for (const [proxy, direct] of [
      ["direct", ""],
      [" direct ,https://a.example", ""],
      ["off", ""],
      ["https://a.example", "evil.example"],
      ["https://a.example", "other.example, *.example/one"],
      ["https://a.example", "evil.exampl?"],
      ["https://a.example", "*"],
    ] as const) {
      const said = await downloadsOf("evil.example/one/two", proxy, direct);
      assert.match(said, /from the host in its name/, `${proxy} ${direct}`);
      assert.doesNotMatch(said, /mod download -json/, `${proxy} ${direct}`);
    }
    const longer = await downloadsOf("evil.example/one", "https://a.example", "evil.example/one/two,none,evil");
    assert.match(longer, /^mod download -json/);
  });
});
