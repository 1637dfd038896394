import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { usePackage } from "../support/packages/use-package.js";
import { parseObject } from "../support/json.js";
import { conductorProgram } from "../support/conductor-command.js";
import { runToEnd } from "../support/child.js";
import { nodeFolder, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { commandEnvironment } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import {
  buildExtension,
  contextServerCrate,
  customSections,
  hostExtension,
  type HostedExtension,
  jco,
  transpileExtension,
} from "../support/zed-wasm.js";
import { scaledMs } from "../support/until.js";

const names = ["ferris", "cargo", "sparkle", "ide-operations", "tests", "sources"];
const ids = names.map((name) => `symposium-${name}`);

describe("the extension for Zed's own agent", function () {
  this.timeout(scaledMs(400_000));
  const binFolder = usePackage(jco);
  const scope = useTestScope();
  let built: Awaited<ReturnType<typeof buildExtension>> = { missing: "it is not built" };
  let folder: RunFolder;
  let transpiled: Promise<void> | undefined;
  before(async function () {
    this.timeout(scaledMs(20 * 60_000));
    built = await buildExtension(contextServerCrate);
    folder = await createRunFolder("extension");
  });
  after(() => folder[Symbol.asyncDispose]());

  function wasm(context: Mocha.Context): string {
    return "file" in built ? built.file : skipBecause(context, built.missing);
  }

  async function host(context: Mocha.Context, settings: unknown, installed?: string): Promise<HostedExtension> {
    const file = wasm(context);
    const bin = binFolder(context);
    transpiled ??= transpileExtension(file, bin, folder.root);
    await transpiled;
    return hostExtension(folder.root, bin, { settings, installed });
  }

  it("is a component for version 0.7.0 of Zed's interface", async function () {
    const version = customSections(await readFile(wasm(this))).get("zed:api-version");
    assert.deepEqual([...(version ?? [])], [0, 0, 0, 7, 0, 0]);
  });

  it("installs the npm package of its own version, and starts it with Zed's Node", async function () {
    const { extension, project, installs } = await host(this, null);
    const { version } = parseObject(await readFile(join(repositoryRoot, "package.json"), "utf8"));
    const commands = ids.map((id) => extension.contextServerCommand(id, project));
    assert.deepEqual(installs, Array(ids.length).fill(`symposium-acp-agent@${String(version)}`));
    assert.deepEqual(
      commands.map(({ command, args, env }) => [command, args.slice(1), env]),
      names.map((name) => ["/zed/node", ["mcp", name], []]),
    );
    const script = commands[0]?.args[0] ?? "";
    assert.ok(script.endsWith("/node_modules/symposium-acp-agent/bin/symposium-acp-agent.cjs"), script);
  });

  it("installs nothing where that version is there", async function () {
    const { version } = parseObject(await readFile(join(repositoryRoot, "package.json"), "utf8"));
    const { extension, project, installs } = await host(this, null, String(version));
    extension.contextServerCommand("symposium-ferris", project);
    assert.deepEqual(installs, []);
  });

  it("starts the program that the user names, with the options, and it is the server that was meant", async function () {
    const options = { tools: ["crate_search"] };
    const { extension, project, installs } = await host(this, { program: conductorProgram, options });
    const { command, args } = extension.contextServerCommand("symposium-ferris", project);
    assert.deepEqual(
      [command, args],
      ["/zed/node", [conductorProgram, "mcp", "ferris", "--options", JSON.stringify(options)]],
    );
    assert.deepEqual(installs, []);
    const run = scope().use(await createRunFolder("zed"));
    const words = [join(nodeFolder, "node"), ...args];
    const { code, stderr } = await runToEnd({ words, env: commandEnvironment(run), cwd: run.workspace }, 120_000);
    assert.equal(code, 0, stderr);
  });

  it("refuses ids that are not ours, and settings of another shape", async function () {
    const { extension, project } = await host(this, "fast");
    assert.throws(
      () => extension.contextServerCommand("symposium-ferris", project),
      (failure) => /have to be an object/.test(JSON.stringify(failure, ["payload", "message"])),
    );
    assert.throws(
      () => extension.contextServerConfiguration("symposium-other", project),
      (failure) => /is no server of Symposium/.test(JSON.stringify(failure, ["payload", "message"])),
    );
  });

  it("says what each server does, and has a schema for its settings", async function () {
    const { extension, project } = await host(this, null);
    const texts = ids.map((id) => extension.contextServerConfiguration(id, project));
    assert.equal(new Set(texts.map(({ installationInstructions }) => installationInstructions)).size, ids.length);
    for (const { settingsSchema, defaultSettings } of texts) {
      assert.deepEqual(Object.keys(parseObject(settingsSchema)["properties"] ?? {}), ["program", "options"]);
      assert.deepEqual(parseObject(defaultSettings.replace(/^\s*\/\/.*$/gm, "")), { options: {} });
    }
  });
});
