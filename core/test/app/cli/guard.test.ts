import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.js";

describe("guard", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "guard-command-")));
    await mkdir(join(folder, "config"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function run(...words: readonly string[]): Promise<readonly [code: unknown, stdout: string, stderr: string]> {
    const env = { ...process.env, HOME: folder, SYMPOSIUM_CONFIG_DIR: join(folder, "config") };
    const { code, stdout, stderr } = await runCommand({ name: "guard", words, env, cwd: folder });
    return [code, stdout.replaceAll(folder, "~"), stderr.replaceAll(folder, "~")];
  }

  it("answers with JSON", async () => {
    const json = async (...words: readonly string[]): Promise<unknown> => {
      const [code, stdout, stderr] = await run(...words, "--json");
      assert.deepEqual([code, stderr], [0, ""]);
      return JSON.parse(stdout);
    };
    const rule = { effect: "deny", subject: "command", patterns: ["npm publish"] };
    assert.deepEqual(await json("test", "npm publish"), { effect: null, rule: null, problems: [] });
    assert.deepEqual(await json("add", "deny", "command", "npm publish", "--reason", "By hand"), {
      added: { ...rule, reason: "By hand" },
    });
    const { effect, rule: found } = (await json("test", "npm publish")) as {
      readonly effect: string;
      readonly rule: Readonly<Record<string, unknown>>;
    };
    assert.deepEqual([effect, found["place"]], ["deny", "~/config/guard.jsonc:3"]);
    assert.deepEqual(await json("remove", "deny", "command", "npm publish"), { removed: rule });
  });

  it("says of rules that cannot be read what is wrong, and not that there are none", async () => {
    assert.deepEqual(await run("rules"), [0, "No rules apply to this folder.\n", ""]);
    await writeFile(join(folder, "config", "guard.jsonc"), '{ "rules": [ }');
    const said =
      "~/config/guard.jsonc:1:14: Expected a value.\nFix the lines above. Until then, no rule of that file " +
      "allows anything. `symposium-acp-agent guard rules` checks again.\n";
    assert.deepEqual(await run("rules"), [1, "", said]);
    assert.deepEqual(await run("test", "git push"), [0, "ask: your guard.jsonc cannot be read\n", said]);
  });
});
