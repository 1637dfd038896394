import assert from "node:assert/strict";
import { mock } from "node:test";
import { AgentFailure, AgentPool, type AgentPoolOptions, type PooledAgent } from "@symposium-dev/core";

/** An agent that a test brings up, and ends. */
class FakeAgent implements PooledAgent<FakeAgent> {
  readonly ready: Promise<this>;
  readonly ended: Promise<AgentFailure | undefined>;
  comeUp: () => void = () => undefined;
  fail: (failure: AgentFailure) => void = () => undefined;
  isGone = false;
  isDisposed = false;
  /** Awaited during disposal. */
  lastWork: Promise<void> = Promise.resolve();
  #end: (failure: AgentFailure | undefined) => void = () => undefined;

  constructor(isUp = true) {
    this.ready = new Promise((resolve, reject) => {
      this.comeUp = () => resolve(this);
      this.fail = reject;
    });
    this.ready.catch(() => undefined);
    this.ended = new Promise((resolve) => (this.#end = resolve));
    if (isUp) this.comeUp();
  }

  /** Ends by itself, as far as the pool knows. */
  crash(): void {
    const failure = new AgentFailure("component-exited", "It crashed.");
    this.isGone = true;
    this.fail(failure);
    this.#end(failure);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isDisposed = true;
    this.isGone = true;
    this.fail(new AgentFailure("component-exited", "It was ended."));
    this.#end(undefined);
    await this.lastWork;
  }
}

interface Stage {
  readonly pool: AgentPool<FakeAgent>;
  readonly started: FakeAgent[];
  readonly start: () => FakeAgent;
}

function stage(options: AgentPoolOptions<FakeAgent> = {}, comesUp = true): Stage {
  const started: FakeAgent[] = [];
  const start = (): FakeAgent => {
    const agent = new FakeAgent(comesUp);
    started.push(agent);
    return agent;
  };
  return { pool: new AgentPool(options), started, start };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the pool of agents", () => {
  afterEach(() => mock.timers.reset());

  it("starts one agent for all who ask with the same key at once", async () => {
    const { pool, started, start } = stage();
    const agents = await Promise.all([
      pool.lease("a", start).connect(),
      pool.lease("a", start).connect(),
      pool.connect("a", start),
      pool.lease("b", start).connect(),
    ]);
    assert.deepEqual(
      agents.map((agent) => started.indexOf(agent)),
      [0, 0, 0, 1],
    );
  });

  it("gives every session an agent of its own where they would share MCP servers", async () => {
    const { pool, started, start } = stage({ isExclusive: () => true });
    const [one, two] = [pool.lease("a", start), pool.lease("a", start)];
    const [first, second] = await Promise.all([one.connect(), two.connect()]);
    assert.notEqual(first, second);
    await one.release();
    assert.deepEqual([first.isGone, second.isGone], [true, false]);
    await pool.lease("a", start).connect();
    assert.equal(started.length, 3);
  });

  it("rejects for all who wait when an agent crashes while it starts, and starts it anew the next time", async () => {
    const { pool, started, start } = stage({}, false);
    const crashes: unknown[] = [];
    const lease = pool.lease("a", start, { crashed: (failure) => crashes.push(failure) });
    const waiting = [lease.connect(), pool.connect("a", start)];
    await turn();
    started[0]?.crash();
    for (const one of waiting) await assert.rejects(one, /It crashed/);
    assert.deepEqual(crashes, []);
    const again = lease.connect();
    await turn();
    started[1]?.comeUp();
    assert.equal(await again, started[1]);
  });

  it("tells those who use an agent of its crash, and when it may be started again", async () => {
    const delays = [7, undefined];
    let resets = 0;
    const crashPolicy = {
      afterCrash: () => delays.shift(),
      reset: () => {
        resets += 1;
      },
    };
    const { pool, started, start } = stage({ crashPolicy: () => crashPolicy });
    const heard: unknown[] = [];
    const lease = pool.lease("a", start, { crashed: ({ message }, restartMs) => heard.push([message, restartMs]) });
    (await lease.connect()).crash();
    await turn();
    (await lease.connect()).crash();
    await turn();
    assert.deepEqual(heard, [
      ["It crashed.", 7],
      ["It crashed.", undefined],
    ]);
    await lease.restart();
    assert.deepEqual([started.length, resets], [3, 1]);
  });

  it("ends the agent at the user's wish, and tells all who use it", async () => {
    const { pool, started, start } = stage();
    const heard: string[] = [];
    const listener = (name: string): { crashed(): void; replaced(): void } => ({
      crashed: () => heard.push(`${name} crashed`),
      replaced: () => heard.push(`${name} replaced`),
    });
    const [one, two] = [pool.lease("a", start, listener("one")), pool.lease("a", start, listener("two"))];
    await Promise.all([one.connect(), two.connect()]);
    assert.equal(await one.restart(), started[1]);
    assert.equal(await two.connect(), started[1]);
    assert.deepEqual([heard, started[0]?.isGone], [["one replaced", "two replaced"], true]);
  });

  it("ends what an agent has left that crashed, before it starts the next one", async () => {
    const { pool, started, start } = stage();
    const lease = pool.lease("a", start);
    (await lease.connect()).crash();
    await turn();
    assert.equal(started[0]?.isDisposed, true);
  });

  it("loses no agent when it is to restart while it waits for the end of the one before", async () => {
    const { pool, started, start } = stage();
    const [one, two] = [pool.lease("a", start), pool.lease("a", start)];
    await Promise.all([one.connect(), two.connect()]);
    let leave = (): void => undefined;
    if (started[0]) started[0].lastWork = new Promise((resolve) => (leave = resolve));
    const asked = [one.restart(), two.connect(), one.restart()];
    await turn();
    leave();
    const agents = await Promise.all(asked);
    assert.deepEqual([started.length, new Set(agents).size], [2, 1]);
    await pool[Symbol.asyncDispose]();
    assert.deepEqual(
      started.filter(({ isGone }) => !isGone),
      [],
    );
  });

  it("asks anew for an agent that could not even be started", async () => {
    const { pool, started, start } = stage();
    let isBroken = true;
    const lease = pool.lease("a", () => {
      if (isBroken) throw new Error("There is no such folder.");
      return start();
    });
    await assert.rejects(lease.connect(), /no such folder/);
    isBroken = false;
    assert.equal(await lease.connect(), started[0]);
  });

  it("restarts an agent that does not come up", async () => {
    const { pool, started, start } = stage({}, false);
    const lease = pool.lease("a", start);
    const first = lease.connect();
    first.catch(() => undefined);
    await turn();
    const again = lease.restart();
    await assert.rejects(first, /It was ended/);
    await turn();
    started[1]?.comeUp();
    assert.equal(await again, started[1]);
  });

  it("ends an agent that nobody uses: after a while, at once when it is useless, or when it is told to", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { pool, started, start } = stage({ idleMs: 5, now: () => 1_000 });
    const lease = pool.lease("a", start);
    await lease.connect();
    await lease.release();
    mock.timers.tick(4);
    assert.equal(started[0]?.isGone, false);
    mock.timers.tick(1);
    assert.equal(started[0].isGone, true);
    const useless = pool.lease("a", start);
    await useless.connect();
    await useless.release(true);
    assert.equal(started[1]?.isGone, true);
    await pool.connect("a", start);
    await pool.endIdle(1);
    assert.equal(started[2]?.isGone, false);
    await pool.endIdle();
    assert.equal(started[2].isGone, true);
  });

  it("keeps an agent that somebody asks for again in time", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const { pool, started, start } = stage({ idleMs: 5 });
    const lease = pool.lease("a", start);
    await lease.connect();
    await lease.release();
    mock.timers.tick(4);
    const next = pool.lease("a", start);
    mock.timers.tick(100);
    assert.equal(await next.connect(), started[0]);
  });

  it("ends agents that are still starting when it is disposed, and starts none after that", async () => {
    const { pool, started, start } = stage({}, false);
    const waiting = pool.lease("a", start).connect();
    waiting.catch(() => undefined);
    await turn();
    await pool[Symbol.asyncDispose]();
    await assert.rejects(waiting, /It was ended/);
    assert.equal(started[0]?.isGone, true);
    await assert.rejects(pool.connect("a", start), /exiting/);
    await assert.rejects(pool.connect("b", start), /exiting/);
    assert.deepEqual([started.length, pool.running], [1, []]);
  });
});
