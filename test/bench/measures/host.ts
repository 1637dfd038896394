import { performance } from "node:perf_hooks";
import { runToEnd } from "../../support/child.js";
import { objectOf } from "../../support/json.js";
import { SshMachine, whyNoSshServer } from "../../support/ssh-machine.js";
import { conductorWords } from "../../support/conductor-command.js";
import { commandEnvironment, createCommandFolder } from "../../support/started-command.js";
import { BenchClient } from "../bench-client.js";
import type { BenchRun } from "../bench-run.js";
import { agentProgram, programAt } from "../lanes.js";
import { treeMemory } from "../process-memory.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const streamed = 5_000;
const stream = `stream ${streamed} 40`;
const watchers = 9;
const idleSessions = 50;
const stopMs = 10_000;

/** Measures what the host adds to starts, streams and turns, and the memory of its idle sessions. */
export async function measureHost(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const samples = new Samples();
  // Each process that runs at the same time has its own listeners for the end of this one.
  process.setMaxListeners(2 * watchers + 10);
  try {
    await measureStarts(run, samples);
    await measureStreams(run, samples);
    await measureTurns(run, samples);
    const memory = await memoryOfIdleSessions(run);
    return [...rowsOf(samples, memory), ...(await measureSsh(run, note))];
  } finally {
    await run.command("host", "stop");
  }
}

/** The host and its conductor run already, as they do for every client but the first. */
async function measureStarts(run: BenchRun, samples: Samples): Promise<void> {
  await using _first = await run.open(run.lanes.hosted());
  const measured = { bare: ["node", programAt("bare-program.js")], thin: run.lanes.hosted() };
  for (let round = -1; round < run.scale.starts * 2; round++) {
    for (const [name, lane] of Object.entries(measured)) {
      const start = performance.now();
      await using client = run.start(lane);
      await client.initialize();
      if (round >= 0) samples.add(name, performance.now() - start);
    }
  }
}

async function measureStreams(run: BenchRun, samples: Samples): Promise<void> {
  const { lanes, scale, workspace } = run;
  await using direct = await run.open(lanes.direct());
  for (let launch = 0; launch < scale.launches; launch++) {
    await using one = await run.open(lanes.hosted());
    for (let round = -scale.warmUpStreams; round < scale.streams; round++) {
      await one.openSession(workspace);
      const rates = { "direct stream": (await direct.prompt(stream, streamed)).ms, one: 0, attach: 0 };
      rates.one = (await one.prompt(stream, streamed)).ms;
      await using late = run.start(lanes.hosted());
      await late.initialize();
      rates.attach = (await late.load(one.sessionId, workspace, streamed)).ms;
      if (round >= 0) for (const [name, ms] of Object.entries(rates)) samples.add(name, ms);
    }
    await one.openSession(workspace);
    await using all = new AsyncDisposableStack();
    const others = await Promise.all(
      Array.from({ length: watchers }, async () => {
        const other = all.use(run.start(lanes.hosted()));
        await other.initialize();
        await other.load(one.sessionId, workspace, 0);
        return other;
      }),
    );
    for (let round = -scale.warmUpStreams; round < scale.streams; round++) {
      const watched = others.map((other) => other.watch(streamed));
      const { ms } = await one.prompt(stream, streamed);
      const all = [ms, ...(await Promise.all(watched))];
      if (round >= 0) samples.add("ten", Math.max(...all));
    }
  }
}

async function measureTurns(run: BenchRun, samples: Samples): Promise<void> {
  const { lanes, scale } = run;
  for (let launch = 0; launch < scale.launches; launch++) {
    await run.withSessions({ ours: lanes.ours(), hosted: lanes.hosted() }, async (open) => {
      for (let round = -5; round < scale.turnRounds; round++) {
        for (const [name, session] of open) await addTurns(session, scale.turnsPerRound, name, round >= 0 && samples);
      }
    });
  }
}

async function addTurns(session: BenchClient, count: number, name: string, samples: Samples | false): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    const { ms } = await session.prompt("stream 1 40", 1);
    if (samples) samples.add(`${name} turn`, ms);
  }
}

async function memoryOfIdleSessions(run: BenchRun): Promise<number | undefined> {
  await run.command("host", "stop");
  await using client = await run.open(run.lanes.hosted());
  for (let count = 0; count < idleSessions; count++) {
    if (count > 0) await client.openSession(run.workspace);
    await client.prompt("stream 100 40", 100);
  }
  const { pid } = objectOf(JSON.parse(await run.command("host", "status", "--json")));
  return await treeMemory(Number(pid), agentProgram);
}

/** Compares a turn of Eliza in the host here with one in the host behind sshd. */
async function measureSsh(run: BenchRun, note: (text: string) => void): Promise<Row[]> {
  const missing = whyNoSshServer();
  const row: Row = {
    measure: "turn over SSH on loopback, added p50",
    unit: "ms",
    ours: undefined,
    target: { atMost: 2 },
  };
  if (missing !== undefined) {
    note(`${row.measure}: not measured, since ${missing}`);
    return [row];
  }
  const samples = new Samples();
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await createCommandFolder());
  const options = { env: commandEnvironment(home), cwd: home.workspace };
  const machine = await SshMachine.start(stack, home);
  stack.defer(async () => {
    await runToEnd({ ...options, words: [...conductorWords, "host", "stop"] }, stopMs);
  });
  const words = [...conductorWords, "run-with", "--agent", "eliza"];
  const here = stack.use(await BenchClient.open({ ...options, words: [...words, "--host"] }));
  const there = stack.use(await BenchClient.open({ ...options, words: [...words, "--on", machine.on] }));
  for (let round = -5; round < run.scale.turnRounds; round++) {
    for (const [name, session] of Object.entries({ here, there })) {
      for (let turn = 0; turn < run.scale.turnsPerRound; turn++) {
        const ms = await session.talk("hello");
        if (round >= 0) samples.add(name, ms);
      }
    }
  }
  return [{ ...row, isAdded: true, direct: samples.median("here"), ours: samples.difference("there", "here") }];
}

function rowsOf(samples: Samples, memory: number | undefined): Row[] {
  const rate = (name: string): number | undefined => {
    const ms = samples.median(name);
    return ms === undefined ? undefined : (streamed / ms) * 1_000;
  };
  const streamRow = (measure: string, name: string, atLeastRatio: number): Row => ({
    measure: `stream 5,000 x 40 B through the host, ${measure}`,
    unit: "updates/s",
    direct: rate("direct stream"),
    ours: rate(name),
    target: { atLeastRatio },
  });
  return [
    {
      measure: "initialize, client of the host (direct: Node alone), added",
      unit: "ms",
      isAdded: true,
      direct: samples.median("bare"),
      ours: samples.difference("thin", "bare"),
      target: { atMost: 8 },
    },
    {
      measure: "attach to a session of 5,000 updates",
      unit: "ms",
      ours: samples.median("attach"),
      target: { atMost: 150 },
    },
    streamRow("one client", "one", 0.5),
    streamRow("slowest of ten clients", "ten", 0.3),
    {
      measure: "turn through the host (direct: in process), added p50",
      unit: "ms",
      isAdded: true,
      direct: samples.median("ours turn"),
      ours: samples.difference("hosted turn", "ours turn"),
      target: { atMost: 0.15 },
    },
    {
      measure: `RSS of the host and its conductor with ${idleSessions} idle sessions`,
      unit: "MiB",
      ours: memory,
      target: { atMost: 150 },
    },
  ];
}
