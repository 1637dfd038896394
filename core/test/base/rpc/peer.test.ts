import assert from "node:assert/strict";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../src/base/rpc/peer.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";

const open = (): undefined => undefined;

describe("ask", () => {
  it("resolves with the answer, an error too", async () => {
    const peer = new RecordingPeer({ known: { a: 1 } });
    const outcomes = [await ask(peer, new Request("known")), await ask(peer, new Request("unknown"))];
    assert.deepEqual(
      outcomes.map(({ isError, json }) => [isError, json.value]),
      [
        [false, { a: 1 }],
        [true, { code: -32601, message: "Method not found: unknown", data: { method: "unknown" } }],
      ],
    );
  });

  it("cancels once when its signal is aborted, and still waits for the answer", async () => {
    const peer = new RecordingPeer({ slow: open });
    const controller = new AbortController();
    const asked = ask(peer, new Request("slow"), controller.signal);
    controller.abort();
    controller.abort();
    assert.deepEqual(
      peer.received.map(({ kind }) => kind),
      ["request", "cancel"],
    );
    peer.open[0]?.reply(Outcome.of("late"));
    assert.equal((await asked).json.value, "late");
  });

  it("cancels at once when its signal was aborted before", () => {
    const peer = new RecordingPeer({ slow: open });
    const controller = new AbortController();
    controller.abort();
    void ask(peer, new Request("slow"), controller.signal);
    assert.deepEqual(
      peer.received.map(({ kind }) => kind),
      ["request", "cancel"],
    );
  });

  it("leaves nothing on the signal of a caller that outlives many requests", async () => {
    let listeners = 0;
    const signal = new AbortController().signal;
    const counting = new Proxy(signal, {
      get(target, name) {
        if (name === "addEventListener") return () => (listeners += 1);
        if (name === "removeEventListener") return () => (listeners -= 1);
        return Reflect.get(target, name) as unknown;
      },
    });
    const prompt: Peer = {
      request: (_request, reply) => {
        reply(Outcome.of(1));
        return nothingToCancel;
      },
      notify: () => undefined,
    };
    const slow = new RecordingPeer({ slow: open });
    await ask(prompt, new Request("now"), counting);
    const asked = ask(slow, new Request("slow"), counting);
    slow.open[0]?.reply(Outcome.of(2));
    await asked;
    assert.ok(listeners <= 0, `${listeners} listeners are left`);
  });
});
