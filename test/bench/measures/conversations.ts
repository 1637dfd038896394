import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { conversationMarkdown } from "#core/sessions/conversations/conversation-markdown.js";
import { searchSessions } from "#core/sessions/conversations/node/search-sessions.js";
import { SessionFolder } from "#core/sessions/conversations/node/session-folder.js";
import { listSessions } from "#core/sessions/conversations/node/session-index.js";
import { linesOf } from "#core/sessions/conversations/node/stored-lines.js";
import { SessionLines } from "#core/sessions/conversations/session-lines.js";
import { SessionRecorder } from "#core/sessions/conversations/session-recorder.js";
import { parseRecord, type StoredRecord } from "#core/sessions/conversations/stored-record.js";
import { Frame } from "#core/base/rpc/frame.js";
import { Notification, Outcome, Request } from "#core/base/rpc/message.js";
import { nothingToCancel, type Peer } from "#core/base/rpc/peer.js";
import { defaultConversationSettings } from "#core/settings/conversation-settings.js";
import { KnownSecrets } from "#core/base/secrets/known-secrets.js";
import { createRunFolder } from "../../support/run-folder.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const updateCount = 50_000;
/** Updates that come in one turn of the event loop. */
const atOnce = 100;
const sessionCount = 1_000;
const turnsOfSession = 20;
const updateText = (text: string): string => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return JSON.stringify({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "one", update } });
};

/** Measures the cost of keeping conversations: processor time for an update, and the time to read a conversation again. */
export async function measureConversations(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  const rounds = run.scale.stops;
  for (let round = -2; round < rounds; round++) {
    for (const isKept of [false, true]) {
      await using folder = await createRunFolder("bench");
      const spent = await streamed(isKept ? folder.root : undefined);
      if (round >= 0) samples.add(isKept ? "kept" : "alone", spent);
    }
  }
  await using folder = await createRunFolder("bench");
  await writeSession(folder.root, "00000000000000-long", updateCount, 1);
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await listSessions(folder.root);
    let length = 0;
    for (const part of conversationMarkdown(recordsOf(join(folder.root, "00000000000000-long.jsonl"))))
      length += part.length;
    samples.add("opened", performance.now() - start);
    if (length < updateCount) throw new Error("The session is not whole.");
  }
  await using many = await createRunFolder("bench");
  for (let index = 0; index < sessionCount; index++) await writeSession(many.root, `1-${index}`, 10, turnsOfSession);
  for (let round = 0; round < rounds; round++) {
    await writeFile(join(many.root, "index.json"), "[]");
    for (const name of ["listed first", "listed"]) {
      const start = performance.now();
      if ((await listSessions(many.root)).length !== sessionCount) throw new Error("Sessions are missing.");
      samples.add(name, performance.now() - start);
    }
    const start = performance.now();
    const found = await searchSessions(many.root, "word 7 of nothing", { sessions: 50, hits: 5 });
    samples.add("searched", performance.now() - start);
    if (found.length > 0) throw new Error("Something was found that is not there.");
  }
  const row = (measure: string, name: string, atMost: number): Row => ({
    measure,
    unit: "ms",
    ours: samples.median(name),
    target: { atMost },
  });
  return [
    {
      measure: "an update kept (direct: passed on in memory), processor's time added",
      unit: "µs",
      isAdded: true,
      direct: samples.median("alone"),
      ours: samples.difference("kept", "alone"),
      target: { atMost: 2 },
    },
    row("conversation of 50,000 updates opened and shown", "opened", 300),
    row("1,000 conversations listed", "listed", 200),
    row("1,000 conversations listed without the index", "listed first", 1_000),
    row("1,000 conversations searched to the end", "searched", 500),
  ];
}

/** The processor's time of an update, in microseconds, until all are on disk. */
async function streamed(root: string | undefined): Promise<number> {
  const secrets = new KnownSecrets();
  // As many as somebody's shell may have.
  for (let index = 0; index < 5; index++) secrets.learn({ [`SERVICE_${index}_TOKEN`]: randomUUID() });
  await using store = new SessionFolder({
    folder: join(root ?? "", "sessions"),
    settings: () => Promise.resolve(defaultConversationSettings),
    mask: (text) => secrets.mask(text),
  });
  const recorder = new SessionRecorder(store, { agentOf: () => "bench" });
  let sent = 0;
  const editor: Peer = {
    request: () => nothingToCancel,
    notify: (notification) => void (sent += notification.text.length),
  };
  const client = root === undefined ? editor : recorder.towardClient(editor);
  const agent = recorder.towardAgent({
    request: ({ method }, reply) => {
      if (method === "session/new") reply(Outcome.of({ sessionId: "one" }));
      return nothingToCancel;
    },
    notify: () => undefined,
  });
  if (root !== undefined) {
    agent.request(Request.of("session/new", { cwd: root }), () => undefined);
    agent.request(Request.of("session/prompt", { sessionId: "one", prompt: [] }), () => undefined);
  }
  const before = process.cpuUsage();
  for (let index = 0; index < updateCount; index += atOnce) {
    for (let one = 0; one < atOnce; one++) {
      const line = updateText(`word ${index + one} of an answer that is streamed`);
      const frame = Frame.scan(line);
      if (frame) client.notify(new Notification("session/update", undefined, frame));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  await store.settled();
  const { user, system } = process.cpuUsage(before);
  if (sent === 0) throw new Error("Nothing was sent.");
  return (user + system) / updateCount;
}

function* recordsOf(file: string): Generator<StoredRecord> {
  for (const line of linesOf(file)) {
    const record = parseRecord(line);
    if (record) yield record;
  }
}

/** Writes a session of `turns`, each with so many updates. */
async function writeSession(folder: string, id: string, updates: number, turns: number): Promise<void> {
  const lines = new SessionLines();
  let text = lines.header({ version: 1, session: id, cwd: folder, started: 1 });
  for (let turn = 0; turn < turns; turn++) {
    text += lines.of({
      kind: "prompt",
      at: turn,
      blocks: JSON.stringify([{ type: "text", text: `Task ${turn} of ${id}` }]),
    });
    for (let index = 0; index < updates; index++) {
      const chunk = { type: "text", text: `word ${index} of an answer that is streamed, piece by piece` };
      const params = JSON.stringify({
        sessionId: id,
        update: { sessionUpdate: "agent_message_chunk", content: chunk },
      });
      text += lines.of({ kind: "update", at: turn, params });
    }
    const output = { type: "content", content: { type: "text", text: "a line of some tool's output\n".repeat(20) } };
    const call = { sessionUpdate: "tool_call", toolCallId: `${turn}`, title: "Run the tests", content: [output] };
    text += lines.of({ kind: "update", at: turn, params: JSON.stringify({ sessionId: id, update: call }) });
    text += lines.of({ kind: "end", at: turn, answer: '{"stopReason":"end_turn"}', agent: "bench" });
  }
  await writeFile(join(folder, `${id}.jsonl`), text);
}
