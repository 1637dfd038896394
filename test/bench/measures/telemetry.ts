import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { Frame } from "#core/base/rpc/frame.js";
import { Logger } from "#core/base/logger.js";
import { Notification, Outcome, Request } from "#core/base/rpc/message.js";
import { nothingToCancel, type Peer, type Reply } from "#core/base/rpc/peer.js";
import { together } from "#core/sessions/conversations/session-log.js";
import { SessionRecorder } from "#core/sessions/conversations/session-recorder.js";
import { SentTelemetry } from "#core/sessions/telemetry/node/sent-telemetry.js";
import { UsageCounter } from "#core/sessions/usage/usage-counter.js";
import { Child } from "../../support/child.js";
import { environmentOfThisMachine } from "../../support/environment.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const updateCount = 50_000;
/** Updates that come in one turn of the event loop. */
const atOnce = 100;
/** One of so many updates begins or ends a tool call. */
const updatesPerCallReport = 10;
/** Pause after {@link atOnce} updates, for 5,000 updates a second. */
const pauseMs = (1_000 * atOnce) / 5_000;

/** Measures telemetry with a live receiver: processor time for an update of which a tenth are about tool calls, and lost spans. */
export async function measureTelemetry(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  for (let round = -1; round < run.scale.stops; round++) {
    for (const isSent of [false, true]) {
      const { microseconds } = await streamed(isSent, 0);
      if (round >= 0) samples.add(isSent ? "sent" : "counted", microseconds);
    }
  }
  const { lost } = await streamed(true, pauseMs);
  return [
    {
      measure: "an update with telemetry (direct: recorded and counted), processor's time added",
      unit: "µs",
      isAdded: true,
      direct: samples.median("counted"),
      ours: samples.difference("sent", "counted"),
      target: { atMost: 3 },
    },
    { measure: "spans lost at 5,000 updates/s", unit: "spans", ours: lost, target: { atMost: 0 } },
  ];
}

interface Streamed {
  /** Processor time of an update, until all spans are sent. */
  readonly microseconds: number;
  readonly lost: number;
}

async function streamed(isSent: boolean, pauseMs: number): Promise<Streamed> {
  await using receiver = new Child({
    words: [process.execPath, fileURLToPath(new URL("../programs/otlp-receiver.js", import.meta.url))],
    env: environmentOfThisMachine(),
    cwd: process.cwd(),
  });
  const lines = createInterface({ input: receiver.process.stdout })[Symbol.asyncIterator]();
  const url = String((await lines.next()).value);
  const sent = isSent ? sendingTo(url) : undefined;
  const { client, prompt, recorder } = recorded(sent);
  const before = process.cpuUsage();
  for (let index = 0; index < updateCount; index += atOnce) {
    const endTurn = prompt();
    for (let one = index; one < index + atOnce; one++) {
      const frame = Frame.scan(updateText(one));
      if (frame) client.notify(new Notification("session/update", undefined, frame));
    }
    endTurn();
    await pause(pauseMs);
  }
  recorder[Symbol.dispose]();
  await sent?.[Symbol.asyncDispose]();
  const { user, system } = process.cpuUsage(before);
  receiver.process.stdin.end();
  const spans = Number((await lines.next()).value);
  const turns = updateCount / atOnce;
  const calls = updateCount / updatesPerCallReport / 2;
  // The other two are those of the session and the process.
  return { microseconds: (user + system) / updateCount, lost: turns + calls + 2 - spans };
}

function sendingTo(url: string): SentTelemetry {
  return new SentTelemetry({
    target: { traces: `${url}/v1/traces`, metrics: `${url}/v1/metrics`, hasContent: false },
    version: "bench",
    logger: Logger.silent,
    traceparent: undefined,
    mask: (text) => text,
  });
}

/** A recorder and a counter between an editor and an agent, as in each session. */
function recorded(sent: SentTelemetry | undefined): {
  readonly client: Peer;
  /** Starts a turn. Returns a function that ends the turn. */
  readonly prompt: () => () => void;
  readonly recorder: SessionRecorder;
} {
  const store = { add: () => undefined, limit: () => undefined };
  const counter = new UsageCounter(store, Date.now, sent?.telemetry);
  const recorder = new SessionRecorder(sent ? together(counter, sent.telemetry) : counter, { agentOf: () => "bench" });
  const client = recorder.towardClient({ request: () => nothingToCancel, notify: () => undefined });
  let answer: Reply = () => undefined;
  const agent = recorder.towardAgent({
    request: ({ method }, reply) => {
      if (method === "session/new") reply(Outcome.of({ sessionId: "one" }));
      else answer = reply;
      return nothingToCancel;
    },
    notify: () => undefined,
  });
  agent.request(Request.of("session/new", { cwd: "/" }), () => undefined);
  const prompt = (): (() => void) => {
    agent.request(Request.of("session/prompt", { sessionId: "one", prompt: [] }), () => undefined);
    return () => answer(Outcome.of({ stopReason: "end_turn" }));
  };
  return { client, prompt, recorder };
}

/** Returns a message: one of twenty begins a tool call, one ends it, and the others continue an answer. */
function updateText(index: number): string {
  const report = index / updatesPerCallReport;
  const call = { toolCallId: `call-${Math.floor(report / 2)}`, title: "Read a file", kind: "read" };
  const reported =
    report % 2 === 0
      ? { sessionUpdate: "tool_call", ...call, status: "pending" }
      : { sessionUpdate: "tool_call_update", ...call, status: "completed" };
  const text = `word ${index} of an answer that is streamed`;
  const update = Number.isInteger(report)
    ? reported
    : { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "one", update } });
}
