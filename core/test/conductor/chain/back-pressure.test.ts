import assert from "node:assert/strict";
import type { LineChannel } from "../../../src/base/line-channel-contract.js";
import { Flow } from "../../../src/conductor/chain/chain.js";
import { passThrough } from "../../../testing/scripted-proxies.js";
import { listener, onStage, type Program, settled } from "./chain-fixture.js";

/** A channel whose congestion the test decides. */
class ManualChannel implements LineChannel {
  isCongested = false;
  isPaused = false;
  readonly #listeners: (() => void)[] = [];

  send(): void {
    throw new Error("the flow sends nothing");
  }
  onCongestion(listener: () => void): void {
    this.#listeners.push(listener);
  }
  pause(): void {
    assert.equal(this.isPaused, false, "paused twice");
    this.isPaused = true;
  }
  resume(): void {
    assert.equal(this.isPaused, true, "resumed without a pause");
    this.isPaused = false;
  }
  congest(isCongested: boolean): void {
    this.isCongested = isCongested;
    for (const listener of this.#listeners) listener();
  }
}

function flow(
  count: number,
  isRing = false,
): { congest(index: number, isCongested?: boolean): void; readonly paused: number[] } {
  const channels = Array.from({ length: count }, () => new ManualChannel());
  new Flow(channels, isRing);
  return {
    congest: (index, isCongested = true) => channels[index]?.congest(isCongested),
    get paused() {
      return channels.flatMap(({ isPaused }, index) => (isPaused ? [index] : []));
    },
  };
}

describe("Flow", () => {
  it("does not read the neighbours of a channel that takes no more, until it does again", () => {
    const chain = flow(4);
    chain.congest(1);
    const whileCongested = chain.paused;
    chain.congest(1, false);
    assert.deepEqual([whileCongested, chain.paused], [[0, 2], []]);
  });

  it("waits for both neighbours", () => {
    const chain = flow(3);
    chain.congest(0);
    chain.congest(2);
    chain.congest(0, false);
    const half = chain.paused;
    chain.congest(2, false);
    assert.deepEqual([half, chain.paused], [[1], []]);
  });

  it("leaves the ends of a chain alone, and joins them in a ring", () => {
    const line = flow(3);
    const ring = flow(3, true);
    line.congest(2);
    ring.congest(2);
    assert.deepEqual([line.paused, ring.paused], [[1], [0, 1]]);
  });

  it("does not read the only channel of a ring while its own output is not taken", () => {
    const ring = flow(1, true);
    ring.congest(0);
    const whileCongested = ring.paused;
    ring.congest(0, false);
    assert.deepEqual([whileCongested, ring.paused], [[0], []]);
  });
});

describe("back-pressure in a chain", () => {
  it("stops reading the agent while the editor takes no more, and loses nothing", async () => {
    const editor = new ManualChannel();
    const lines: string[] = [];
    const options = { agent: listener(lines), proxies: [passThrough()], conductor: { clientChannel: editor } };
    await onStage(options, async (stage) => {
      const initialized = stage.initialize();
      await settled();
      const { far } = stage.process("agent");
      far.send('{"jsonrpc":"2.0","id":1,"result":{}}');
      await initialized;
      editor.congest(true);
      for (let n = 1; n <= 3; n++) far.send(`{"jsonrpc":"2.0","method":"session/update","params":{"n":${n}}}`);
      await settled();
      const whileCongested = stage.client.received.length;
      editor.congest(false);
      await settled();
      assert.deepEqual(
        [whileCongested, stage.client.received.map(({ params }) => params?.object?.["n"])],
        [0, [1, 2, 3]],
      );
    });
  });

  it("stops reading the editor while the agent takes no more", async () => {
    const editor = new ManualChannel();
    const silent: Program = () => undefined;
    await onStage({ agent: silent, conductor: { clientChannel: editor } }, async (stage) => {
      void stage.ask("initialize", { filler: "x".repeat(2_000) });
      await settled();
      assert.equal(editor.isPaused, true);
    });
  });
});
