import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import type { StartProcess } from "../../../src/base/component-process.js";
import type { Command } from "../../../src/base/command.js";
import { startingWithDenials } from "../../../src/guard/node/native-rule-files.js";

interface Hook {
  readonly command: string;
}

describe("agents that take denials with their start", () => {
  let config = "";
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  beforeEach(async () => {
    config = await mkdtemp(join(tmpdir(), "native-rules-"));
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
  });
  afterEach(async () => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    await rm(config, { recursive: true });
  });

  /** An agent as it starts under these rules. */
  async function startOf(program: string, rules: readonly object[], env: Command["env"] = {}): Promise<Command> {
    await writeFile(join(config, "guard.jsonc"), JSON.stringify({ rules }));
    const started: Command[] = [];
    const start: StartProcess = (_name, command) => {
      started.push(command);
      throw new Error("It is not started.");
    };
    const denying = (await startingWithDenials(Logger.silent))(start);
    const handlers = {
      line: () => undefined,
      oversize: () => undefined,
      end: () => undefined,
      stalled: () => undefined,
    };
    assert.throws(() => denying(program, { command: program, args: ["--acp"], env }, handlers));
    assert.ok(started[0]);
    return started[0];
  }

  const pushing = [{ effect: "deny", command: "git push" }];

  it("get those that hold everywhere, since one process serves many folders", async () => {
    const rules = [...pushing, { effect: "deny", command: "npm publish", in: "~/one/folder" }];
    assert.deepEqual((await startOf("copilot", rules)).args, ["--acp", "--deny-tool=shell(git push)"]);
    assert.deepEqual((await startOf("copilot", rules.slice(1))).args, ["--acp"]);
    assert.deepEqual((await startOf("qwen", rules)).args, ["--acp", "--exclude-tools=run_shell_command(git push)"]);
  });

  it("get a file of them where they read one", async () => {
    const [, policy = ""] = (await startOf("gemini", pushing)).args;
    assert.match(policy, /=.*gemini-policy\.toml$/);
    assert.match(await readFile(policy.slice(policy.indexOf("=") + 1), "utf8"), /git push/);
  });

  it("are told to ask a program of ours before each command, beside what their user has them ask", async function () {
    // No line of words is read alike by the shells there.
    if (process.platform === "win32") this.skip();
    const own = { PreToolUse: [{ hooks: [] }], Stop: [], state: { "/x": { enabled: false } } };
    const { env } = await startOf("codex-acp", [...pushing, { effect: "deny", command: "npm run *" }], {
      CODEX_CONFIG: JSON.stringify({ model: "m", hooks: own }),
    });
    const { model, hooks } = JSON.parse(env["CODEX_CONFIG"] ?? "") as {
      readonly model: string;
      readonly hooks: typeof own & { readonly PreToolUse: readonly [unknown, { readonly hooks: readonly [Hook] }] };
    };
    const [
      ,
      {
        hooks: [hook],
      },
    ] = hooks.PreToolUse;
    assert.deepEqual([model, Object.keys(hooks), hooks.PreToolUse.length], ["m", ["PreToolUse", "Stop", "state"], 2]);
    assert.match(hook.command, / guard hook -- 'git push' 'npm run \*'$/);
    const ended = (program: string): readonly unknown[] => {
      const { status, stderr } = spawnSync("/bin/sh", ["-c", hook.command.replace(process.execPath, program)], {
        input: "{}",
        encoding: "utf8",
      });
      return [status, /could not find out whether the rules of the user allow this command/.test(stderr)];
    };
    const [refusing, breaking] = [join(config, "refusing"), join(config, "breaking")];
    await writeFile(refusing, "#!/bin/sh\necho no >&2\nexit 2\n", { mode: 0o700 });
    await writeFile(breaking, "#!/bin/sh\nkill -9 $$\n", { mode: 0o700 });
    // Agents take any other end than 2 for a yes.
    assert.deepEqual(["/bin/true", refusing, breaking, join(config, "gone")].map(ended), [
      [0, false],
      [2, false],
      [2, true],
      [2, true],
    ]);
    const place = "/<session-flags>/config.toml:pre_tool_use:1:0";
    assert.deepEqual(Object.keys(hooks.state), ["/x", place]);
    // A rule that cannot be read may be one that denies.
    const lost = { effect: "deny", command: "git 'push" };
    for (const rules of [[lost], [...pushing, lost]]) {
      const asked = (await startOf("codex-acp", rules)).env["CODEX_CONFIG"] ?? "";
      assert.match(
        asked,
        rules.length === 1 ? / --unread=\S+guard\.jsonc --"/ : / --unread=\S+guard\.jsonc -- 'git push'"/,
      );
      assert.deepEqual((await startOf("qwen", [lost])).args, ["--acp"]);
    }
    const { env: untouched } = await startOf("codex-acp", pushing, { CODEX_CONFIG: "[]" });
    assert.deepEqual(untouched, { CODEX_CONFIG: "[]" });
  });
});
