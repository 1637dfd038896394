import assert from "node:assert/strict";
import { type ChildProcessByStdio, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { awaitDescendant, awaitEnd, descendantsOf, killAll } from "./surviving-processes.js";

const fixture = fileURLToPath(new URL("conductor-fixture.js", import.meta.url));

/** A conductor with two components that ignore the end of their input and SIGTERM, and one descendant in its own session. */
interface Running {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  readonly pid: number;
  readonly exited: Promise<unknown[]>;
  /** Components, their descendants and the watchdog. */
  readonly descendants: readonly number[];
}

let pids: number[] = [];

async function startConductor(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [fixture, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const pid = child.pid ?? 0;
  pids = [pid];
  await says(child, "ready");
  const descendants = await descendantsOf(pid);
  pids.push(...descendants);
  assert.equal(descendants.length, 4, "two components, a descendant and the watchdog");
  return { process: child, pid, exited, descendants };
}

async function says(child: Running["process"], text: string): Promise<void> {
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    if (String(chunk).includes(text)) return;
  }
}

/** Beyond what any system gives a process. */
const unusedPid = 2 ** 30;

/** The one of `candidates` that is a watchdog: the others run Node. */
async function watchdogOf(candidates: readonly number[]): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", "pid=", "-o", "comm="], { maxBuffer: 2 ** 24 });
  const shells = stdout.split("\n").filter((line) => /\bsh$/.test(line.trimEnd()));
  const found = shells.map((line) => Number.parseInt(line, 10)).find((pid) => candidates.includes(pid));
  assert.ok(found, "a watchdog runs");
  return found;
}

/** Reaps what a failed test left. */
async function endAll(): Promise<void> {
  killAll(pids);
  await awaitEnd(pids);
}

describe("Watchdog", function () {
  this.timeout(60_000);
  afterEach(endAll);

  it("ends every component and itself when the conductor is killed", async () => {
    const conductor = await startConductor();
    process.kill(conductor.pid, "SIGKILL");
    await conductor.exited;
    assert.deepEqual(await awaitEnd(conductor.descendants), []);
  });

  it("is not ended by the signals of a terminal", async () => {
    const conductor = await startConductor();
    for (const pid of conductor.descendants) {
      for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.kill(pid, signal);
    }
    process.kill(conductor.pid, "SIGKILL");
    await conductor.exited;
    assert.deepEqual(await awaitEnd(conductor.descendants), []);
  });

  it("is replaced when it is killed itself, so that every component still ends with the conductor", async () => {
    const conductor = await startConductor();
    const watchdog = await watchdogOf(conductor.descendants);
    process.kill(watchdog, "SIGKILL");
    const next = await awaitDescendant(conductor.pid, conductor.descendants);
    pids.push(next);
    process.kill(conductor.pid, "SIGKILL");
    await conductor.exited;
    assert.deepEqual(await awaitEnd([...conductor.descendants, next]), []);
  });

  it("is started a few times with each component where it cannot run, and not for ever", async () => {
    const started: Promise<unknown>[] = [];
    using watchdog = new Watchdog(() => {
      const child = spawn("/bin/sh", ["-c", "exit 1"], { stdio: ["pipe", "ignore", "ignore"] });
      started.push(once(child, "exit"));
      return child;
    });
    const counts: number[] = [];
    for (const pid of [unusedPid, unusedPid + 1]) {
      watchdog.add(pid);
      for (let index = 0; index < started.length; index++) await started[index];
      counts.push(started.length);
    }
    assert.deepEqual(counts, [6, 12]);
  });

  it("goes with a conductor that ends in order", async () => {
    const conductor = await startConductor();
    conductor.process.stdin.end();
    assert.deepEqual(await conductor.exited, [0, null]);
    assert.deepEqual(await awaitEnd(conductor.descendants), []);
  });
});

describe("endOnSignals", function () {
  this.timeout(60_000);
  afterEach(endAll);

  for (const [signal, code] of [
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const) {
    it(`ends everything on ${signal} and exits with code ${code}`, async () => {
      const conductor = await startConductor();
      conductor.process.kill(signal);
      assert.deepEqual(await conductor.exited, [code, null]);
      assert.deepEqual(await awaitEnd(conductor.descendants), []);
    });
  }

  it("exits at once on a second signal, with everything killed", async () => {
    const conductor = await startConductor("hang");
    conductor.process.kill("SIGTERM");
    await says(conductor.process, "ending");
    conductor.process.kill("SIGINT");
    assert.deepEqual(await conductor.exited, [130, null]);
    assert.deepEqual(await awaitEnd(conductor.descendants), []);
  });
});
