import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { ReaderFlow } from "../../../src/app/cli/reader-flow.js";
import { Notification } from "../../../src/base/rpc/message.js";
import { nothingToCancel } from "../../../src/base/rpc/peer.js";

describe("ReaderFlow", () => {
  const megabyte = "x".repeat(1024 * 1024);
  const message = Notification.of("session/update", {});

  function reader(): {
    readonly output: PassThrough;
    readonly states: readonly boolean[];
    readonly print: (text: string) => void;
  } {
    const output = new PassThrough();
    const flow = new ReaderFlow(output);
    const states: boolean[] = [];
    flow.onCongestion(() => states.push(flow.isCongested));
    let text = "";
    const client = flow.before({ request: () => nothingToCancel, notify: () => void output.write(text) });
    const print = (next: string): void => {
      text = next;
      client.notify(message);
    };
    return { output, states, print };
  }

  it("is congested from more than 1 MiB of waiting output until the reader has taken all of it", async () => {
    const { output, states, print } = reader();
    print("short");
    assert.deepEqual(states, []);
    print(megabyte);
    print(megabyte);
    assert.deepEqual(states, [true]);
    const isDrained = new Promise((resolve) => output.once("drain", resolve));
    output.resume();
    await isDrained;
    assert.deepEqual(states, [true, false]);
  });

  it("isn't congested any more when the reader is gone", async () => {
    const { output, states, print } = reader();
    print(megabyte);
    print(megabyte);
    const isClosed = new Promise((resolve) => output.once("close", resolve));
    output.destroy();
    await isClosed;
    print(megabyte);
    assert.deepEqual(states, [true, false]);
  });
});
