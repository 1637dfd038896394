import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OversizeLine } from "../../../src/base/line-splitter.js";
import { Logger } from "../../../src/base/logger.js";
import type { ComponentProcess, ProcessHandlers } from "../../../src/base/component-process.js";
import type { Command } from "../../../src/base/command.js";
import { startProcess, type StartProcessOptions } from "../../../src/base/node/child-component.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import {
  deserter,
  deserterOfOpenStdout,
  echo,
  parentOfDetached,
  slowToLeave,
  stubborn,
  stubbornParentOfDetached,
} from "./component-scripts.js";
import { awaitEnd, killAll, survivingProcesses } from "./surviving-processes.js";

/** Keeps what a component delivers, in order. */
class Recording implements ProcessHandlers {
  readonly lines: string[] = [];
  readonly oversized: OversizeLine[] = [];
  readonly stalls: number[] = [];
  ends = 0;
  #waiting: (() => void)[] = [];

  line(line: string): void {
    this.lines.push(line);
    this.#changed();
  }
  oversize(line: OversizeLine): void {
    this.oversized.push(line);
    this.#changed();
  }
  end(): void {
    this.ends++;
    this.#changed();
  }
  stalled(ms: number): void {
    this.stalls.push(ms);
    this.#changed();
  }

  async until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #changed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

describe("startProcess", function () {
  this.timeout(60_000);

  let watchdog: Watchdog;
  let started: ComponentProcess[] = [];
  let strangers: number[] = [];

  beforeEach(() => {
    watchdog = new Watchdog();
    started = [];
    strangers = [];
  });

  afterEach(async () => {
    await Promise.all(started.map((component) => component[Symbol.asyncDispose]()));
    watchdog[Symbol.dispose]();
    const pids = [...started.map(({ pid }) => pid).filter((pid) => pid !== undefined), ...strangers];
    const surviving = await survivingProcesses(pids);
    killAll(surviving);
    assert.deepEqual(surviving, []);
  });

  const run = (
    command: Partial<Command>,
    options: Partial<StartProcessOptions> = {},
  ): { component: ComponentProcess; recording: Recording } => {
    const recording = new Recording();
    const start = startProcess({ logger: Logger.silent, watchdog, graceMs: 20_000, terminationMs: 20_000, ...options });
    const component = start("test", { command: process.execPath, args: [], env: {}, ...command }, recording);
    started.push(component);
    return { component, recording };
  };
  const script = (text: string): Partial<Command> => ({ args: ["-e", text] });
  const firstPid = async (recording: Recording): Promise<number> => {
    await recording.until(() => recording.lines.length > 0);
    const pid = Number(recording.lines[0]);
    strangers.push(pid);
    return pid;
  };

  it("carries lines both ways and ends with the input", async () => {
    const { component, recording } = run(script(echo));
    component.send('{"a":1}');
    component.send("\u{1f600} two");
    await recording.until(() => recording.lines.length === 2);
    await component[Symbol.asyncDispose]();
    assert.deepEqual(recording.lines, ['{"a":1}', "\u{1f600} two"]);
    assert.deepEqual(await component.exited, { code: 0, signal: null, stderrTail: "" });
  });

  it("gives the environment and the working folder of the command", async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "symposium-")));
    const { component, recording } = run(
      { ...script("console.log(process.env.A, process.env.B, process.cwd())"), env: { B: "command" }, cwd },
      { env: { ...process.env, A: "inherited", B: "inherited" } },
    );
    await component.exited;
    rmSync(cwd, { recursive: true });
    assert.deepEqual(recording.lines, [`inherited command ${cwd}`]);
  });

  it("reports exit code and stderr after every line and the end", async () => {
    const { component, recording } = run(
      script("for (let i = 0; i < 20000; i++) console.log(i); console.error('token=abc lost'); process.exitCode = 7"),
    );
    const exit = await component.exited;
    assert.deepEqual(exit, { code: 7, signal: null, stderrTail: "token=[redacted] lost" });
    assert.deepEqual([recording.lines.length, recording.lines.at(-1), recording.ends], [20_000, "19999", 1]);
  });

  it("takes lines for a component that is gone without failing", async () => {
    const { component, recording } = run(script("process.exit(1)"));
    for (let i = 0; i < 100; i++) component.send("x".repeat(10_000));
    await component.exited;
    component.send("late");
    assert.deepEqual([component.isCongested, recording.ends], [false, 1]);
  });

  it("reports a program that is not there, a folder that is not there and an argument that cannot be passed", async () => {
    const failures = [run({ command: "no-such-program" }), run({ cwd: "/no/such/folder" }), run({ args: ["a\0b"] })];
    const exits = await Promise.all(failures.map(({ component }) => component.exited));
    assert.deepEqual(
      exits.map(({ startError }) => startError),
      ["ENOENT", "ENOTDIR", "ERR_INVALID_ARG_VALUE"],
    );
    assert.deepEqual(
      failures.map(({ recording }) => recording.ends),
      [1, 1, 1],
    );
  });

  it("reports a file that may not be executed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "symposium-"));
    const file = join(folder, "agent");
    writeFileSync(file, "text");
    chmodSync(file, 0o644);
    const exit = await run({ command: file }).component.exited;
    rmSync(folder, { recursive: true });
    assert.equal(exit.startError, "EACCES");
  });

  it("asks a component that ignores the end of its input to end a quarter of a second later", async function () {
    if (process.platform === "win32") return this.skip(); // Nothing can be asked there.
    const recording = new Recording();
    const start = startProcess({ logger: Logger.silent, watchdog, terminationMs: 20_000 });
    const component = start("test", { command: process.execPath, args: ["-e", slowToLeave], env: {} }, recording);
    started.push(component);
    await firstPid(recording);
    const begun = performance.now();
    await component[Symbol.asyncDispose]();
    // A timer may come a millisecond early; how late, and when a program sees what is sent to it, depends on the machine.
    assert.ok(performance.now() - begun > 248);
    assert.equal(recording.lines[1], "asked to end");
    assert.equal((await component.exited).code, 0);
  });

  it("kills a component that ignores the end of its input and SIGTERM", async () => {
    const { component, recording } = run(script(stubborn), { graceMs: 20, terminationMs: 20 });
    await firstPid(recording);
    await component[Symbol.asyncDispose]();
    assert.deepEqual(await component.exited, { code: null, signal: "SIGKILL", stderrTail: "" });
  });

  it("disposes once, however often it is asked", async () => {
    const { component, recording } = run(script(echo));
    await Promise.all([component[Symbol.asyncDispose](), component[Symbol.asyncDispose]()]);
    assert.equal(recording.ends, 1);
  });

  for (const [name, text] of Object.entries({
    "ends in time": parentOfDetached,
    "must be killed": stubbornParentOfDetached,
  })) {
    it(`leaves no descendant in a session of its own when the component ${name}`, async () => {
      const { component, recording } = run(script(text), {
        graceMs: text === parentOfDetached ? 5_000 : 20,
        terminationMs: 20,
      });
      const grandchild = await firstPid(recording);
      assert.deepEqual(await survivingProcesses([grandchild]), [grandchild]);
      await component[Symbol.asyncDispose]();
      assert.deepEqual(await survivingProcesses([grandchild]), []);
    });
  }

  it("ends what a component leaves in its group when it exits by itself", async () => {
    const { component, recording } = run(script(deserter));
    const grandchild = await firstPid(recording);
    const { code } = await component.exited;
    assert.deepEqual([code, await awaitEnd([grandchild])], [3, []]);
  });

  it("does not wait for a descendant that keeps stdout open", async () => {
    const { component, recording } = run(script(deserterOfOpenStdout));
    const grandchild = await firstPid(recording);
    const { code } = await component.exited;
    assert.deepEqual([code, recording.ends, await survivingProcesses([grandchild])], [0, 1, [grandchild]]);
    killAll([grandchild]);
    await awaitEnd([grandchild]);
  });

  it("delivers lines that are no messages and bytes that are no text", async () => {
    const { component, recording } = run(
      script("process.stdout.write(Buffer.from('hello\\n\\n\\xff\\xfe\\0\\r\\n{', 'latin1'))"),
    );
    await component.exited;
    assert.deepEqual(recording.lines, ["hello", "\ufffd\ufffd\0", "{"]);
  });

  it("carries a line of many megabytes and reports one above the limit", async () => {
    const { component, recording } = run(script(echo), { maxLineBytes: 8_000_000 });
    component.send("x".repeat(8_000_000));
    component.send("y".repeat(8_000_001));
    component.send("after");
    await recording.until(() => recording.lines.length === 2);
    assert.deepEqual(
      recording.lines.map(({ length }) => length),
      [8_000_000, 5],
    );
    assert.deepEqual(
      recording.oversized.map(({ bytes }) => bytes),
      [8_000_001],
    );
  });

  it("delivers nothing while paused, and everything after", async () => {
    const { component, recording } = run(
      script("for (let i = 0; i < 300000; i++) console.log(i); process.stdin.resume()"),
    );
    const other = run(script(echo));
    await recording.until(() => recording.lines.length > 0);
    component.pause();
    const delivered = recording.lines.length;
    for (let i = 1; i <= 20; i++) {
      other.component.send("turn");
      await other.recording.until(() => other.recording.lines.length === i);
    }
    assert.equal(recording.lines.length, delivered);
    assert.ok(delivered < 300_000);
    component.resume();
    await recording.until(() => recording.lines.length === 300_000);
    assert.equal(recording.lines.at(-1), "299999");
  });

  it("disposes of a paused component that waits for its reader", async () => {
    const { component, recording } = run(
      script("setInterval(() => console.log('x'.repeat(1e6)), 1); process.stdin.resume()"),
      {
        graceMs: 20,
      },
    );
    await recording.until(() => recording.lines.length > 0);
    component.pause();
    await component[Symbol.asyncDispose]();
    assert.deepEqual([(await component.exited).signal, recording.ends], ["SIGTERM", 1]);
  });

  it("is congested and reports a stall when the component takes no input", async () => {
    const { component, recording } = run(script("setInterval(() => {}, 1000)"), { stallTimeoutMs: 40, graceMs: 20 });
    let changes = 0;
    component.onCongestion(() => changes++);
    for (let i = 0; i < 30; i++) component.send("x".repeat(100_000));
    assert.deepEqual([component.isCongested, changes], [true, 1]);
    await recording.until(() => recording.stalls.length > 0);
    assert.deepEqual(recording.stalls, [40]);
  });

  it("reports no stall while its output is paused, and one when it takes nothing afterwards", async () => {
    const { component, recording } = run(script("console.log('ready'); setInterval(() => {}, 1000)"), {
      stallTimeoutMs: 20,
      graceMs: 20,
    });
    const other = run(script("setInterval(() => {}, 1000)"), { stallTimeoutMs: 100, graceMs: 20 });
    component.pause();
    for (const { component: each } of [{ component }, other]) each.send("x".repeat(2_000_000));
    await other.recording.until(() => other.recording.stalls.length > 0);
    assert.deepEqual(recording.stalls, []);
    component.resume();
    await recording.until(() => recording.stalls.length > 0);
  });
});
