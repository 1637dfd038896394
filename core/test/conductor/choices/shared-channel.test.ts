import assert from "node:assert/strict";
import type { LineChannel } from "../../../src/base/line-channel-contract.js";
import { SharedChannel } from "../../../src/conductor/choices/connection-chains.js";

/** A channel that writes down when it is paused and resumed. */
function playedChannel(): { channel: LineChannel; log: string[]; congest: () => void } {
  const log: string[] = [];
  const listeners: (() => void)[] = [];
  const channel: LineChannel = {
    send: (line) => void log.push(line),
    isCongested: true,
    onCongestion: (listener) => void listeners.push(listener),
    pause: () => void log.push("pause"),
    resume: () => void log.push("resume"),
  };
  return { channel, log, congest: () => listeners.forEach((listener) => listener()) };
}

describe("SharedChannel", () => {
  it("is read again when the last chain that had it paused goes on", () => {
    const { channel, log } = playedChannel();
    const shared = new SharedChannel(channel);
    const [one, two] = [shared.view(), shared.view()];
    one.pause();
    two.pause();
    one.resume();
    one.resume();
    assert.deepEqual(log, ["pause", "pause"]);
    two.resume();
    assert.deepEqual(log, ["pause", "pause", "resume"]);
  });

  it("is not held up by a chain that has ended, which hears no more of it", () => {
    const { channel, log, congest } = playedChannel();
    const view = new SharedChannel(channel).view();
    view.onCongestion(() => void log.push(`congested ${String(view.isCongested)}`));
    view.pause();
    congest();
    view[Symbol.dispose]();
    congest();
    view.pause();
    assert.deepEqual(log, ["pause", "congested true", "resume"]);
  });
});
