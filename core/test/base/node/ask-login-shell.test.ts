import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  loginEnvironment,
  type LoginEnvironmentOptions,
  parseMarkedEnvironment,
  underEnvironment,
} from "../../../src/base/node/ask-login-shell.js";
import { awaitEnd } from "./surviving-processes.js";

describe("loginEnvironment", function () {
  this.timeout(60_000);

  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "login-"))));
  afterEach(() => rmSync(folder, { recursive: true }));
  before(function () {
    if (process.platform === "win32") this.skip();
  });

  const desktop = { HOME: "/nowhere", PATH: "/usr/bin:/bin", LANG: "C" };

  /** The environment that a user has whose shell runs `profile` before each command. */
  function withProfile(
    profile: string,
    options: Omit<LoginEnvironmentOptions, "env"> = {},
  ): Promise<NodeJS.ProcessEnv> {
    const shell = join(folder, "fixture-shell");
    writeFileSync(shell, `#!/bin/sh\n${profile}\nwhile [ "$1" != -c ]; do shift; done\neval "$2"\n`);
    chmodSync(shell, 0o755);
    return loginEnvironment({
      env: { ...desktop, SHELL: shell },
      platform: "linux",
      ...options,
    });
  }

  function pidIn(file: string): number {
    return Number(readFileSync(join(folder, file), "utf8"));
  }

  it("adds what the profile sets, and puts its PATH first", async () => {
    const env = await withProfile(`export PATH="$HOME/.cargo/bin:/opt/it's/bin:$PATH"; export LANG=de NVM_DIR='a b
c'`);
    assert.deepEqual(
      { ...env, SHELL: undefined },
      { ...desktop, PATH: "/nowhere/.cargo/bin:/opt/it's/bin:/usr/bin:/bin", NVM_DIR: "a b\nc", SHELL: undefined },
    );
  });

  it("is not corrupted by a profile that prints before, after and beside it", async () => {
    const env = await withProfile(`
      set -x
      echo "Welcome back! {\\"PATH\\":\\"/wrong\\"}"
      env
      echo "$@"
      printf '\\033]0;%s\\007\\377\\000{' "$*"
      echo warning >&2
      trap 'echo bye; env' EXIT
      export FOUND=1`);
    assert.deepEqual([env["FOUND"], env["PATH"]], ["1", desktop.PATH]);
  });

  it("reads the profile of a real shell", async function () {
    if (!existsSync("/bin/bash")) this.skip();
    writeFileSync(join(folder, ".bash_profile"), "echo hello; export FOUND=profile; . ~/.bashrc\n");
    writeFileSync(join(folder, ".bashrc"), "case $- in *i*) export PATH=~/bin:$PATH;; esac\n");
    const env = { ...desktop, HOME: folder, SHELL: "/bin/bash" };
    const found = await loginEnvironment({ env });
    assert.equal(found["FOUND"], "profile");
    assert.ok(found["PATH"]?.split(":").includes(join(folder, "bin")));
    assert.deepEqual(
      Object.keys(found).filter((name) => /^(?:_|PWD|OLDPWD|SHLVL|ELECTRON.*|SYMPOSIUM.*)$/.test(name)),
      [],
    );
  });

  it("gives up on a profile that never ends, and ends it with what it started", async () => {
    const given = { ...desktop, SHELL: join(folder, "fixture-shell") };
    const profile = `echo $$ > "${folder}/shell"; sleep 600 & echo $! > "${folder}/child"; trap '' TERM; wait`;
    assert.deepEqual(await withProfile(profile, { timeoutMs: 500 }), given);
    assert.deepEqual(await awaitEnd([pidIn("shell"), pidIn("child")]), []);
  });

  it("does not wait for what the profile leaves running, and ends it", async () => {
    const env = await withProfile(`sleep 600 & echo $! > "${folder}/child"; export FOUND=1`, { timeoutMs: 20_000 });
    assert.equal(env["FOUND"], "1");
    assert.deepEqual(await awaitEnd([pidIn("child")]), []);
  });

  it("answers a profile that asks the user with the end of input, and shows it no terminal", async () => {
    const env = await withProfile(
      "read -r answer; export ANSWER=none$answer; if (: < /dev/tty) 2>/dev/null; then export HAS_TTY=1; fi",
    );
    assert.deepEqual([env["ANSWER"], env["HAS_TTY"]], ["none", undefined]);
  });

  it("is the given environment where the shell fails, is missing or is none", async () => {
    const failing = await withProfile("exit 3");
    assert.deepEqual(failing, { ...desktop, SHELL: join(folder, "fixture-shell") });
    for (const shell of [join(folder, "missing"), "/usr/sbin/nologin", "relative"]) {
      const env = { ...desktop, SHELL: shell };
      assert.equal(await loginEnvironment({ env, platform: "linux" }), env);
    }
  });

  it("asks no shell on Windows, or for a profile that starts us", async () => {
    const mark = `touch "${folder}/asked"`;
    await withProfile(mark, { platform: "win32" });
    const env = { ...desktop, SHELL: join(folder, "fixture-shell"), SYMPOSIUM_ENVIRONMENT_MARK: "x" };
    await loginEnvironment({ env });
    assert.equal(existsSync(join(folder, "asked")), false);
    await withProfile(mark);
    assert.equal(existsSync(join(folder, "asked")), true);
  });
});

describe("parseMarkedEnvironment", () => {
  for (const [output, expected] of [
    ['noise M{"A":"1","B":2}M noise', { A: "1" }],
    ['M=M\nM{"A":"}M{"}M', undefined],
    ['env M\n{"A":"0"} M{"A":"1"}M', { A: "1" }],
    ['M{"A":"1"', undefined],
    ["", undefined],
    ["M[]M", undefined],
  ] as const) {
    it(`finds ${JSON.stringify(expected) || "nothing"} in ${JSON.stringify(output)}`, () =>
      assert.deepEqual(parseMarkedEnvironment(output, "M"), expected));
  }
});

describe("underEnvironment", () => {
  it("joins the PATHs without repeating folders, and keeps what is given", () => {
    assert.deepEqual(
      underEnvironment({ PATH: "/b:/c:", A: "given" }, { PATH: "/a:/b", A: "login", B: "login", SHLVL: "2" }),
      { PATH: "/a:/b:/c", A: "given", B: "login" },
    );
  });

  it("invents no PATH", () => {
    assert.deepEqual(underEnvironment({}, {}), {});
  });
});
