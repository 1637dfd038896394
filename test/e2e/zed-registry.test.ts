import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Child, type ChildOptions, runToEnd } from "../support/child.js";
import { conductorProgram } from "../support/conductor-command.js";
import { arrayOf, objectOf, parseObject, stringOf } from "../support/json.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

/** Timeout of the registry's build, which includes the download of a package. */
const limitMs = 400_000;
/** Request that the registry's build sends, as a client with terminals. */
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: 1,
    clientInfo: { name: "registry-check", version: "1.0.0" },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      _meta: { terminal_output: true, "terminal-auth": true },
    },
  },
};

describe("the registry's handshake", function () {
  this.timeout(scaledMs(limitMs));
  const scope = useTestScope();
  const entryFile = join(repositoryRoot, "zed-extension", "registry", "agent.json");

  async function openFolder(): Promise<{ readonly folder: RunFolder; readonly env: Readonly<Record<string, string>> }> {
    const folder = scope().use(await createRunFolder("registry"));
    // Beside the repository's own Node there are no global packages, and npm 10 fails where there is no folder for them.
    const prefix = join(folder.root, "npm");
    await mkdir(join(prefix, "lib"), { recursive: true });
    const npm = { npm_config_update_notifier: "false", npm_config_prefix: prefix };
    return { folder, env: { ...folder.env, PATH: pathWith(), ...npm } };
  }

  async function methodsOf(options: ChildOptions): Promise<readonly string[]> {
    const child = scope().use(new Child(options));
    const lines = createInterface({ input: child.process.stdout });
    const first = once(lines, "line", { signal: AbortSignal.timeout(scaledMs(limitMs)) });
    const ended = child.exited.then((sentence) => Promise.reject(new Error(`${sentence}: ${child.stderrTail}`)));
    child.process.stdin.write(`${JSON.stringify(initialize)}\n`);
    const [line] = (await Promise.race([first, ended])) as readonly unknown[];
    const { id, result } = parseObject(stringOf(line));
    assert.equal(id, initialize.id, `The first line is ${stringOf(line)}`);
    const methods = arrayOf(objectOf(result)["authMethods"]).map(objectOf);
    return methods.map(({ type, id: name }) => `${stringOf(type) || "agent"}: ${stringOf(name)}`);
  }

  it("finds a way to sign in where nothing is configured and nothing installed", async () => {
    const { folder, env } = await openFolder();
    const words = ["node", conductorProgram];
    assert.deepEqual(await methodsOf({ words, env, cwd: folder.workspace }), ["terminal: symposium-setup"]);
    assert.deepEqual(await readdir(folder.home), []);
  });

  it("finds it through npm too, in the package that is released", async () => {
    const { folder, env } = await openFolder();
    const staged = join(folder.root, "package");
    const inStage = { env, cwd: repositoryRoot };
    const script = join("scripts", "release", "npm-package.mjs");
    const staging = await runToEnd({ words: ["node", script, staged], ...inStage }, limitMs);
    assert.equal(staging.code, 0, staging.stderr);
    const packed = await runToEnd(
      { words: ["npm", "pack", "--pack-destination", folder.root, staged], ...inStage },
      limitMs,
    );
    assert.equal(packed.code, 0, packed.stderr);
    const { name, version } = parseObject(await readFile(join(staged, "package.json"), "utf8"));
    const { distribution } = parseObject(await readFile(entryFile, "utf8"));
    const named = stringOf(objectOf(objectOf(distribution)["npx"])["package"]);
    assert.equal(named, `${stringOf(name)}@${stringOf(version)}`);
    const archive = join(folder.root, packed.stdout.trim().split("\n").at(-1) ?? "");
    const words = ["npm", "exec", "--yes", "--offline", "--", `file:${archive}`];
    assert.deepEqual(await methodsOf({ words, env, cwd: folder.workspace }), ["terminal: symposium-setup"]);
  });
});
