import assert from "node:assert/strict";
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { awaitEnd, descendantsOf, killAll } from "./surviving-processes.js";

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

/** Reaps what a failed test left. */
async function endAll(): Promise<void> {
  killAll(pids);
  await awaitEnd(pids);
}

describe("Watchdog", function () {
  this.timeout(30_000);
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

  it("goes with a conductor that ends in order", async () => {
    const conductor = await startConductor();
    conductor.process.stdin.end();
    assert.deepEqual(await conductor.exited, [0, null]);
    assert.deepEqual(await awaitEnd(conductor.descendants), []);
  });
});

describe("endOnSignals", function () {
  this.timeout(30_000);
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
