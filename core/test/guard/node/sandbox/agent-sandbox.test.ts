import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Logger } from "../../../../src/base/logger.js";
import type { ProcessExit } from "../../../../src/base/component-process.js";
import { describeExit, startHint } from "../../../../src/conductor/chain/start-hint.js";
import { GuardLog } from "../../../../src/guard/node/guard-log.js";
import { findSandbox, probeSandbox } from "../../../../src/guard/node/sandbox/probe.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { AgentSandbox } from "../../../../src/guard/node/sandbox/agent-sandbox.js";
import { SandboxWatcher } from "../../../../src/guard/node/sandbox/sandbox-watcher.js";
import { SandboxHosts } from "../../../../src/guard/node/network/sandbox-hosts.js";
import { self } from "../../sandbox/watched.js";

describe("the start of an agent in a sandbox", () => {
  const before = { PATH: process.env["PATH"], SYMPOSIUM_CONFIG_DIR: process.env["SYMPOSIUM_CONFIG_DIR"] };
  let folder = "";
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-sandbox-")));
    process.env["SYMPOSIUM_CONFIG_DIR"] = join(folder, "config");
  });
  afterEach(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    rmSync(folder, { recursive: true });
  });

  /** Starts an agent with a bubblewrap that is this script; gives how it ended, each time. */
  async function startWith(script: string, times: number): Promise<readonly ProcessExit[]> {
    const [bin, cwd] = [join(folder, "bin"), join(folder, "project")];
    for (const one of [bin, cwd]) mkdirSync(one, { recursive: true });
    writeFileSync(join(bin, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    process.env["PATH"] = `${bin}:${before.PATH ?? ""}`;
    using watchdog = new Watchdog();
    const logger = new Logger(() => undefined);
    const hosts = await SandboxHosts.open({ logger, cwd, ports: [] });
    await using sandbox = await AgentSandbox.open({
      logger,
      processes: { logger, watchdog },
      cwd,
      hosts,
      watcher: new SandboxWatcher(self),
    });
    const command = { command: "/bin/cat", args: [], env: {} };
    const { startAgent } = sandbox.forAgent({ kind: "process", name: "agent", command });
    const none = (): void => undefined;
    const exits: ProcessExit[] = [];
    for (let left = times; left > 0; left--) {
      const started = startAgent("agent", command, { line: none, oversize: none, end: none, stalled: none });
      exits.push(await started.exited);
    }
    return exits;
  }

  it("stops with the reason and the remedy where bubblewrap is there and does not start, found by the start itself", async function () {
    if (process.platform !== "linux" || process.arch !== "x64") this.skip();
    const starts = join(folder, "starts");
    const exits = await startWith(
      `echo start >> '${starts}'\necho 'bwrap: Unknown option --disable-userns' >&2\nexit 1`,
      2,
    );
    assert.deepEqual(
      exits.map(({ startError }) => startError),
      Array(2).fill(
        "sandbox: bubblewrap does not start here: bwrap: Unknown option --disable-userns. " +
          'Install bubblewrap 0.8.0 or newer, or set "guard" to "rules".',
      ),
    );
    // The first one and the look at why it failed; then it is known.
    assert.equal(readFileSync(starts, "utf8"), "start\nstart\n");
  });

  it("is tried out beside all else that this process does, however long that takes", async function () {
    if (process.platform !== "linux" || process.arch !== "x64") this.skip();
    const [bin, go] = [join(folder, "bin"), join(folder, "go")];
    mkdirSync(bin);
    // It goes on once this process has done something else.
    writeFileSync(join(bin, "bwrap"), `#!/bin/sh\nuntil [ -e '${go}' ]; do sleep 0.02; done\necho inside\n`, {
      mode: 0o700,
    });
    process.env["PATH"] = `${bin}:${before.PATH ?? ""}`;
    const state = probeSandbox(join(folder, "config"));
    writeFileSync(go, "");
    assert.equal((await state).isThere, true);
  });

  it("opens the protected files that the user's rules name by their whole path", async () => {
    const cwd = join(folder, "project");
    mkdirSync(cwd);
    mkdirSync(join(folder, "config"));
    const write = ["/.git/config", ".vscode/tasks.json", "settings.json", ".claude/*", `/${cwd}/.envrc`];
    const rules = [
      { effect: "allow", write },
      { effect: "ask", write: "/.npmrc" },
      { effect: "allow", write: "/.mcp.json", agent: "codex" },
    ];
    writeFileSync(join(folder, "config/guard.jsonc"), JSON.stringify({ rules }));
    const { opened } = await SandboxHosts.open({ logger: new Logger(() => undefined), cwd, ports: [] });
    assert.deepEqual(
      opened,
      [".git/config", ".vscode/tasks.json", ".envrc"].map((name) => join(cwd, name)),
    );
  });

  it("leaves tools no folder that a link leads to by now in the place of a session's", async function () {
    if (process.platform !== "linux" || process.arch !== "x64") this.skip();
    const [cwd, elsewhere] = [join(folder, "project/app"), join(folder, "elsewhere")];
    for (const one of [cwd, elsewhere, join(folder, "bin")]) mkdirSync(one, { recursive: true });
    writeFileSync(join(elsewhere, "secret"), "");
    writeFileSync(join(folder, "bin/bwrap"), "#!/bin/sh\n", { mode: 0o700 });
    process.env["PATH"] = `${join(folder, "bin")}:${before.PATH ?? ""}`;
    using watchdog = new Watchdog();
    const logger = new Logger(() => undefined);
    const hosts = await SandboxHosts.open({ logger, cwd, ports: [] });
    await using sandbox = await AgentSandbox.open({
      logger,
      processes: { logger, watchdog },
      cwd,
      hosts,
      watcher: new SandboxWatcher(self),
    });
    const plain = { file: "/bin/true", args: [], env: {}, given: {}, cwd, stdio: "ignore" as const };
    const confined = (confinement = sandbox.others): string => {
      const program = confinement.confine(plain);
      if ("startError" in program) return program.startError;
      program.started(undefined);
      return "starts";
    };
    assert.equal(confined(), "starts");
    // As an agent can have it where another session is in the folder above.
    renameSync(cwd, join(folder, "project/before"));
    symlinkSync(elsewhere, cwd);
    assert.match(confined(), /^sandbox: "\S+project\/app" now leads to "\S+elsewhere"/);
    assert.match(
      confined(sandbox.forLanguageServers(cwd, join(folder, "files"))),
      /^sandbox: "\S+project\/app" now leads to/,
    );
    assert.equal(sandbox.isReadable(join(cwd, "secret")), false);
    rmSync(cwd);
    renameSync(join(folder, "project/before"), cwd);
    assert.equal(confined(), "starts");
  });

  it("puts down in the guard's record what can run code later and was not there before", async function () {
    if (process.platform !== "linux" || process.arch !== "x64") this.skip();
    const file = join(folder, "project/.envrc");
    await startWith(`echo > '${file}'`, 1);
    const log = new GuardLog(join(folder, "config"));
    let records = await log.last(10);
    // It is written beside the end of the agent.
    for (let tries = 0; records.length === 0 && tries < 2_000; tries++) {
      await delay(20);
      records = await log.last(10);
    }
    assert.deepEqual(
      records.map(({ subject, rule, answer }) => [subject, rule, answer]),
      [[`write ${file}`, "new, and can run code later: check it", "allow"]],
    );
  });

  it("says why an agent was ended in the middle of its work, and what to do, also in the guard's record", async function () {
    if (process.platform !== "linux" || process.arch !== "x64") this.skip();
    const head = join(folder, "project/HEAD");
    const made = `mkdir '${folder}/project/.git'; echo 'ref: refs/heads/x' > '${folder}/h'; mv '${folder}/h' '${head}'; while :; do sleep 0.1; done`;
    const [exit] = await startWith(made, 1);
    const text = describeExit('The agent "one"', exit ?? { code: 0, signal: null, stderrTail: "" });
    const what = `The agent "one" was stopped by its sandbox: "${head}" appeared, which can make git use hooks and configuration from elsewhere.`;
    assert.equal(text.slice(0, what.length), what);
    assert.match(
      text,
      /It was renamed to "\S+HEAD\.set-aside-[0-9a-f]{8}"\. Check what else is new .*restart the agent\.$/,
    );
    assert.equal(
      startHint({ command: "one", args: [], env: {} }, exit ?? { code: 0, signal: null, stderrTail: "" }),
      undefined,
    );
    const log = new GuardLog(join(folder, "config"));
    let records = await log.last(10);
    for (let tries = 0; records.at(-1)?.answer !== "deny" && tries < 2_000; tries++) {
      await delay(20);
      records = await log.last(10);
    }
    assert.deepEqual(
      records.slice(-1).map(({ subject, rule, answer }) => [subject, rule, answer]),
      [[`write ${head}`, "new, and could redirect git: the sandbox was stopped", "deny"]],
    );
  });

  it("says why an agent was not started where a path led elsewhere when it was mounted, and what to do", async function () {
    if (!(await probeSandbox(join(folder, "config"))).isThere) this.skip();
    const [held, secret] = [join(folder, "project/.gemini"), join(folder, "secret")];
    for (const one of [held, secret]) {
      mkdirSync(one, { recursive: true });
      writeFileSync(join(one, "settings.json"), "");
    }
    // As another sandbox of the same folder can have it between our look and its own, by a link that comes and goes.
    const swap = `case "$before" in --bind|--ro-bind) [ "$word" = '${held}' ] && word='${secret}';; esac`;
    const words = `before=; for word in "$@"; do shift; was=$word; ${swap}; set -- "$@" "$word"; before=$was; done`;
    const [exit] = await startWith(`${words}\nexec /usr/bin/bwrap "$@"`, 1);
    assert.equal(
      describeExit('"one"', exit ?? { code: 0, signal: null, stderrTail: "" }),
      `"one" must run in a sandbox and was not started: "${held}" led to one place when it was checked and to another when it was mounted: another program changed it, or a folder above it. Check whether it is a link now, then start again.`,
    );
  });

  it("is refused to the executable, which is no Node, and on other systems, each with its remedy", function () {
    if (process.arch !== "x64") this.skip();
    const found = [findSandbox({ platform: "linux", isExecutable: true }), findSandbox({ platform: "win32" })];
    assert.deepEqual(
      found.map((state) => (state.isThere ? "there" : `${state.reason}. ${state.remedy}`)),
      [
        "Symposium's executable can't pass a network on to a sandbox, which requires Node. " +
          'Install Node 20.19 or newer and run Symposium with it (`npm install --global symposium-acp-agent`), or set "guard" to "rules".',
        'there is no sandbox for Windows. Set "guard" to "rules", or use WSL 2, which has a sandbox.',
      ],
    );
  });
});
