import assert from "node:assert/strict";
import { Connection } from "../../src/base/rpc/connection.js";
import { Outcome, Request } from "../../src/base/rpc/message.js";
import { ask } from "../../src/base/rpc/peer.js";
import { connectionOver, memoryChannelPair } from "../../testing/memory-channel.js";
import { RecordingPeer } from "../../testing/recording-peer.js";

function collector(): { seen: string[]; handlers: { line(line: string): void; oversize(): void; end(): void } } {
  const seen: string[] = [];
  return {
    seen,
    handlers: { line: (line) => void seen.push(line), oversize: () => undefined, end: () => void seen.push("(end)") },
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("memoryChannelPair", () => {
  it("keeps lines until the other end starts, and delivers them in order before the end", async () => {
    const [left, right] = memoryChannelPair();
    const { seen, handlers } = collector();
    left.send("one");
    left.send("two");
    left.end();
    left.send("too late");
    await settled();
    right.start(handlers);
    assert.deepEqual(seen, []);
    await settled();
    assert.deepEqual(seen, ["one", "two", "(end)"]);
  });

  it("holds lines back while the reader is paused, and tells the writer of congestion both ways", async () => {
    const [left, right] = memoryChannelPair(4);
    const { seen, handlers } = collector();
    const changes: boolean[] = [];
    left.onCongestion(() => changes.push(left.isCongested));
    right.start(handlers);
    right.pause();
    left.send("four");
    left.send("five!");
    await settled();
    assert.deepEqual({ seen, changes: [...changes] }, { seen: [], changes: [true] });
    right.resume();
    await settled();
    assert.deepEqual({ seen, changes }, { seen: ["four", "five!"], changes: [true, false] });
  });

  it("stops in the middle when the reader pauses while it reads", async () => {
    const [left, right] = memoryChannelPair();
    const { seen, handlers } = collector();
    right.start({
      ...handlers,
      line(line) {
        seen.push(line);
        right.pause();
      },
    });
    left.send("one");
    left.send("two");
    await settled();
    assert.deepEqual(seen, ["one"]);
  });
});

describe("connectionOver", () => {
  it("carries a request and its answer, and fails what waits when the other side ends", async () => {
    const [left, right] = memoryChannelPair();
    const peer = new RecordingPeer({ open: () => undefined, answered: { ok: true } });
    let isEnded = false;
    const client = connectionOver(left, new RecordingPeer(), { onEnd: () => (isEnded = true) });
    connectionOver(right, (neighbour) => (assert.ok(neighbour instanceof Connection), peer));
    const answered = await ask(client, Request.of("answered", { a: 1 }));
    const waiting = ask(client, Request.of("open", undefined));
    await peer.waitFor("open");
    right.end();
    assert.equal((await waiting).isError, true);
    assert.deepEqual(
      { answered: answered.json.value, methods: peer.methods, isEnded },
      { answered: { ok: true }, methods: ["answered", "open"], isEnded: true },
    );
  });
});

describe("RecordingPeer", () => {
  it("answers by its table, leaves open what its function leaves open, and refuses the rest", () => {
    const peer = new RecordingPeer({ value: [1], later: () => undefined, failing: () => Outcome.of("x") });
    const replies: string[] = [];
    const record = (outcome: Outcome): void => void replies.push(`${outcome.isError} ${outcome.json.text}`);
    for (const method of ["value", "failing", "unknown"]) peer.request(Request.of(method, {}), record);
    const cancel = peer.request(Request.of("later", {}), record);
    cancel();
    peer.open[0]?.reply(Outcome.of(null));
    assert.deepEqual(replies.slice(0, 2), ["false [1]", 'false "x"']);
    assert.match(replies[2] ?? "", /^true .*-32601/);
    assert.deepEqual(
      { last: replies[3], open: peer.open, cancelled: peer.received.at(-1) },
      { last: "false null", open: [], cancelled: { kind: "cancel", method: "later", params: undefined } },
    );
  });
});
