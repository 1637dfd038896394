import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { completeEnvironment, isStartedFromDesktop } from "../../../src/settings/node/complete-environment.js";

describe("completeEnvironment", function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "complete-"))));
  afterEach(() => rmSync(folder, { recursive: true }));
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  /** Returns the environment of an editor started from an icon. The user's shell adds a folder to PATH and logs each start. */
  function desktop(profile = `export PATH=/opt/agents:$PATH`): NodeJS.ProcessEnv {
    const shell = join(folder, "fixture-shell");
    const text = `#!/bin/sh\necho asked >> "${folder}/asked"\n${profile}\nwhile [ "$1" != -c ]; do shift; done\neval "$2"\n`;
    writeFileSync(shell, text, { mode: 0o755 });
    return { HOME: "/nowhere", PATH: "/usr/bin:/bin", DISPLAY: ":0", SHELL: shell };
  }

  const options = { platform: "linux", hasTerminal: false };

  function timesAsked(): number {
    const file = join(folder, "asked");
    return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0;
  }

  it("adds what the login shell sets after a start from the desktop, and asks it once", async () => {
    const env = desktop();
    await completeEnvironment("auto", { ...options, env });
    await completeEnvironment("auto", { ...options, env });
    assert.deepEqual([env["PATH"], timesAsked()], ["/opt/agents:/usr/bin:/bin", 1]);
  });

  it("adds what the login shell sets for a client on another machine", async () => {
    const { DISPLAY: _display, ...env } = desktop();
    await completeEnvironment("auto", { ...options, env });
    assert.equal(timesAsked(), 0);
    const remote: NodeJS.ProcessEnv = { ...env, SYMPOSIUM_REMOTE_CLIENT: "1" };
    await completeEnvironment("auto", { ...options, env: remote });
    assert.deepEqual([remote["PATH"], timesAsked()], ["/opt/agents:/usr/bin:/bin", 1]);
  });

  it("has what is started with it ask no more", async () => {
    const env = desktop();
    await completeEnvironment("always", { ...options, env });
    await completeEnvironment("always", { ...options, env: { ...env } });
    assert.equal(timesAsked(), 1);
  });

  it("asks nobody in a terminal, when it is switched off, and where a variable says so", async () => {
    const env = desktop();
    await completeEnvironment("auto", { ...options, env, hasTerminal: true });
    await completeEnvironment("off", { ...options, env });
    await completeEnvironment("always", { ...options, env: { ...env, SYMPOSIUM_LOGIN_ENVIRONMENT: "off" } });
    assert.deepEqual([env, timesAsked()], [desktop(), 0]);
  });

  it("asks always when the setting says so", async () => {
    const env: NodeJS.ProcessEnv = { ...desktop(), TERM: "xterm" };
    await completeEnvironment("always", { ...options, env, hasTerminal: true });
    assert.equal(env["PATH"], "/opt/agents:/usr/bin:/bin");
  });

  it("leaves the environment and warns in the log when the shell takes too long", async () => {
    const env = desktop("sleep 600");
    const events: string[] = [];
    const logger = new Logger(({ level, event }) => events.push(`${level}: ${event}`));
    await completeEnvironment("auto", { ...options, env, logger, timeoutMs: 200 });
    assert.deepEqual(
      [env["PATH"], events],
      ["/usr/bin:/bin", ["warn: the login shell did not report its environment"]],
    );
  });
});

describe("isStartedFromDesktop", () => {
  for (const [env, platform, hasTerminal, expected] of [
    [{ DISPLAY: ":0" }, "linux", false, true],
    [{ WAYLAND_DISPLAY: "wayland-0", SHLVL: "0", TERM: "dumb" }, "linux", false, true],
    [{ XPC_SERVICE_NAME: "application.editor" }, "darwin", false, true],
    [{ DISPLAY: ":0" }, "linux", true, false],
    [{ DISPLAY: ":0", TERM: "xterm-256color" }, "linux", false, false],
    [{ DISPLAY: ":0", SHLVL: "1" }, "linux", false, false],
    [{ DISPLAY: ":0" }, "darwin", false, false],
    [{ DISPLAY: ":0" }, "win32", false, false],
    [{}, "linux", false, false],
  ] as const) {
    it(`is ${expected} for ${JSON.stringify(env)} on ${platform} ${hasTerminal ? "in" : "without"} a terminal`, () =>
      assert.equal(isStartedFromDesktop(env, platform, hasTerminal), expected));
  }
});
