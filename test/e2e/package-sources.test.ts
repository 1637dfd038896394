import assert from "node:assert/strict";
import { mkdir, readdir, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { McpServer } from "#core/base/mcp/mcp-server.js";
import { sourcesServices } from "#core/extensions/sources/node.js";
import { sourcesProxy } from "#core/extensions/sources/sources-proxy.js";
import { Logger } from "#core/base/logger.js";
import { Json } from "#core/base/rpc/json.js";
import { nobody } from "#core/base/rpc/peer.js";
import { trusting } from "#testing/scripted-client.js";
import { runToEnd } from "../support/child.js";
import { throughConductor } from "../support/conductor-command.js";
import { opencode } from "../support/agents/agent-recipes.js";
import { environmentOfThisMachine } from "../support/environment.js";
import { callToolWith, say } from "../support/fake-model/script.js";
import { lastLines, npm } from "../support/packages/install-package.js";
import { usePackage } from "../support/packages/use-package.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { openSession } from "../support/agents/agent-session.js";
import { scaledMs } from "../support/until.js";

const installLimitMs = 4 * 60_000;
/** Two versions of ms and of debug, an alias, and a workspace with a version of its own. */
const project = {
  "package.json": JSON.stringify({
    name: "root",
    version: "1.0.0",
    private: true,
    workspaces: ["packages/*"],
    dependencies: { debug: "4.3.4", old: "npm:ms@2.0.0", "is-odd": "3.0.1" },
  }),
  "packages/app/package.json": JSON.stringify({
    name: "app",
    version: "0.1.0",
    dependencies: { debug: "2.6.9", "escape-html": "~1.0.3" },
  }),
  "packages/app/src/main.js": `require("debug");`,
  "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
};

interface Client {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  readonly command: string;
  readonly words: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly lock: string;
  /** Its lock file does not say what each project asks for. */
  readonly hasNoProjects?: boolean;
}

const clients: readonly Client[] = [
  {
    name: "pnpm",
    package: "pnpm",
    version: "10.34.9",
    command: "pnpm",
    words: ["install", "--ignore-scripts"],
    lock: "pnpm-lock.yaml",
  },
  {
    name: "Yarn 1",
    package: "yarn",
    version: "1.22.22",
    command: "yarn",
    words: ["install", "--ignore-scripts", "--non-interactive"],
    lock: "yarn.lock",
    hasNoProjects: true,
  },
  {
    name: "Yarn with Plug'n'Play",
    package: "@yarnpkg/cli-dist",
    version: "4.18.1",
    command: "yarn",
    words: ["install"],
    env: { YARN_ENABLE_GLOBAL_CACHE: "false", YARN_ENABLE_SCRIPTS: "false", YARN_ENABLE_TELEMETRY: "0", CI: "" },
    lock: "yarn.lock",
  },
];

describe("the sources of packages that npm installed", function () {
  this.timeout(scaledMs(installLimitMs + 60_000));

  it("are those that each importer gets", async function () {
    await using folder = await projectFolder("npm");
    const words = [...npm(), "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const run = await runToEnd({ words, env: machine(), cwd: folder.workspace }, installLimitMs);
    if (run.code !== 0) skipBecause(this, `npm cannot install: ${lastLines(run.stderr)}`);
    await holdsFor(folder, "package-lock.json");
  });

  it("are fetched by npm where they are not installed, into a folder of ours, and nothing of them runs", async function () {
    await using folder = await projectFolder("fetch");
    const server = serverFor(folder);
    const absent = await call(server, "package_sources", { name: "is-odd" });
    assert.match(absent, /^is-odd 3\.0\.1 \(npm\) is not installed here\./);
    const fetched = await call(server, "package_fetch", { name: "is-odd" });
    if (/network|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT/i.test(fetched)) skipBecause(this, fetched);
    assert.match(
      fetched,
      /^is-odd 3\.0\.1 \(npm\) is in .*[\\/]cache[\\/]packages[\\/]npm[\\/]is-odd@3\.0\.1, downloaded with: npm pack/,
    );
    const found = await call(server, "package_search", { name: "is-odd@3.0.1", pattern: "module\\.exports" });
    assert.match(found, /index\.js:\d+: module\.exports = function isOdd/);
    assert.deepEqual((await readdir(folder.workspace)).sort(), ["package.json", "packages", "pnpm-workspace.yaml"]);
    for (const version of ["file:..", "--help", "https://registry.example/x.tgz", "github:a/b"]) {
      assert.match(
        await call(server, "package_fetch", { name: "is-odd", version }),
        /isn't a version, range or tag/,
        version,
      );
    }
  });
});

for (const client of clients) {
  describe(`the sources of packages that ${client.name} installed`, function () {
    this.timeout(scaledMs(installLimitMs + 60_000));
    const binFolder = usePackage({ ...client, nodeMajor: 20 });

    it("are those that each importer gets", async function () {
      const bin = await realpath(join(binFolder(this), client.command));
      await using folder = await projectFolder("client");
      // Yarn takes the folder above for its project where there is no lock file.
      if (client.lock === "yarn.lock") await writeFile(join(folder.workspace, client.lock), "");
      const env = { ...machine(), HOME: folder.home, ...client.env };
      const run = await runToEnd({ words: ["node", bin, ...client.words], env, cwd: folder.workspace }, installLimitMs);
      if (run.code !== 0) skipBecause(this, `${client.name} cannot install: ${lastLines(run.stdout + run.stderr)}`);
      await holdsFor(folder, client.lock, client.hasNoProjects);
    });
  });
}

describe(`${opencode.name} ${opencode.version} and the sources of packages`, function () {
  this.timeout(scaledMs(400_000));
  const binFolder = usePackage(opencode);
  const scope = useTestScope();

  it("are asked for by the model, for the file that imports them", async function () {
    const workspace = {
      "package.json": `{"dependencies": {"lib": "^1.0.0"}}`,
      "node_modules/lib/package.json": `{"name": "lib", "version": "1.4.2", "types": "index.d.ts"}`,
      "node_modules/lib/index.d.ts": "/** Quokkas, sorted. */\nexport declare function quokkas(): string[];\n",
    };
    const route = { name: "sources", words: (words: readonly string[]) => throughConductor(words, ["sources"]) };
    const { model, client, sessionId } = await openSession(
      scope(),
      { recipe: opencode, binFolder: binFolder(this), route },
      {
        script: () => [
          callToolWith(/package_sources$/, { name: "lib", from: "main.ts" }),
          callToolWith(/package_item$/, { name: "lib", symbol: "quokkas", from: "main.ts" }),
          say("Done."),
        ],
        mode: opencode.mcpMode,
        files: { workspace },
      },
    );
    const { stopReason } = await client.prompt(sessionId, "How are quokkas listed?");
    const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
    assert.equal(stopReason, "end_turn");
    assert.match(results, /lib 1\.4\.2 \(npm\)/);
    assert.match(results, /index\.d\.ts:2\n.*Quokkas, sorted/s);
  });
});

async function projectFolder(name: string): Promise<RunFolder> {
  const folder = await createRunFolder(name);
  for (const [path, text] of Object.entries(project)) {
    await mkdir(dirname(join(folder.workspace, path)), { recursive: true });
    await writeFile(join(folder.workspace, path), text);
  }
  return folder;
}

function machine(): Record<string, string> {
  return { ...environmentOfThisMachine(), PATH: pathWith() };
}

/** Checks results that don't depend on the package manager that installed the project. */
async function holdsFor(folder: RunFolder, lock: string, hasNoProjects = false): Promise<void> {
  const server = serverFor(folder);
  const root = await call(server, "package_sources", { name: "debug" });
  assert.match(root, /^debug 4\.3\.4 \(npm\)\n/);
  assert.match(root, new RegExp(`${lock.replace(".", "\\.")} locks the same`));
  assert.match(root, hasNoProjects ? /versions here: 2\.6\.9\n/ : /versions here: 2\.6\.9 \(for packages\/app\)\n/);
  const app = await call(server, "package_sources", { name: "debug", from: "packages/app/src/main.js" });
  assert.match(app, /^debug 2\.6\.9 \(npm\)\n/);
  assert.match(app, /packages\/app\/package\.json requires "2\.6\.9"/);
  const alias = await call(server, "package_sources", { name: "old" });
  assert.match(alias, /^ms 2\.0\.0 \(npm\)\n/);
  assert.match(alias, /"old" is an alias for ms/);
  // The package `debug` uses its own version of `ms`.
  const debug = /^Folder: (\S+)/m.exec(root)?.[1] ?? "";
  assert.match(await call(server, "package_sources", { name: "ms", from: debug }), /^ms 2\.1\.2 \(npm\)\n/);
  const search = await call(server, "package_search", {
    name: "debug",
    pattern: "enabledLoggersCache|namespacesCache",
  });
  assert.match(search, /src\/common\.js:\d+: .*namespacesCache/);
  const read = await call(server, "package_file", { name: "debug", path: "package.json" });
  assert.match(read, /"version": "4\.3\.4"/);
}

function serverFor(folder: RunFolder): McpServer {
  const env = { ...machine(), SYMPOSIUM_CONFIG_DIR: join(folder.home, ".symposium") };
  const services = sourcesServices({ watchdog: undefined, trust: trusting(), env });
  const handlers = sourcesProxy({}, services, "1").connect({
    client: nobody,
    successor: nobody,
    logger: Logger.silent,
  });
  const session = { sessionId: undefined, cwd: folder.workspace, signal: new AbortController().signal };
  const [server] = handlers.mcpServers?.(session) ?? [];
  assert.ok(server);
  return server;
}

async function call(server: McpServer, tool: string, args: object): Promise<string> {
  const context = { signal: new AbortController().signal, notify: () => undefined };
  const { json } = await server.call("tools/call", Json.of({ name: tool, arguments: args }), context);
  const [block] = (json.object?.["content"] ?? []) as readonly { readonly text: string }[];
  return block?.text ?? json.text;
}
