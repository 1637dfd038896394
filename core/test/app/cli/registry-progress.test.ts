import assert from "node:assert/strict";
import { byteCount } from "../../../src/agents/registry/download-size.js";
import { ProgressDisplay, progressLine } from "../../../src/app/cli/registry/progress-display.js";
import type { InstallProgress } from "../../../src/base/node/archives/install-progress.js";

const steps: readonly InstallProgress[] = [
  { step: "download", text: "Downloading x", bytes: 500_000, totalBytes: 2_000_000 },
  { step: "download", text: "Downloading x", bytes: 2_000_000, totalBytes: 2_000_000 },
  { step: "extract", text: "Unpacking x" },
  { step: "done", text: "x 1 is installed" },
];

/** What is written for the steps above. */
function drawn(isTTY: boolean): readonly string[] {
  const written: string[] = [];
  using display = new ProgressDisplay({ write: (text) => written.push(text), isTTY, columns: 80 });
  for (const step of steps) display.show(step);
  return written;
}

describe("ProgressDisplay", () => {
  it("writes one line a step where there is no terminal", () => {
    assert.deepEqual(drawn(false), ["Downloading x\n", "Unpacking x\n", "x 1 is installed\n"]);
  });

  it("draws one line anew in a terminal, and erases it at the end", () => {
    assert.deepEqual(drawn(true), [
      "\r\u001b[K[#####---------------]  25%  500.0 kB of 2.0 MB  Downloading x",
      "\r\u001b[K[####################] 100%  2.0 MB of 2.0 MB  Downloading x",
      "\r\u001b[KUnpacking x",
      "\r\u001b[K",
    ]);
  });

  it("keeps to the width of the terminal, and passes no control characters on", () => {
    const text = `Downloading \u001b[2J${"x".repeat(100)}`;
    const line = progressLine({ step: "download", text }, 30);
    assert.equal(line, `Downloading [2J${"x".repeat(15)}`);
  });

  it("shows bytes alone where their number is not known, or more come than were announced", () => {
    assert.equal(progressLine({ step: "download", text: "x", bytes: 1500 }, 80), "1.5 kB  x");
    const more = progressLine({ step: "download", text: "x", bytes: 3000, totalBytes: 2000 }, 80);
    assert.equal(more, "[####################] 100%  3.0 kB of 2.0 kB  x");
  });
});

describe("byteCount", () => {
  it("chooses the unit in which a number is short", () => {
    const counts = [0, 950, 999_949, 999_950, 34_200_000, 5e9, 7e15].map(byteCount);
    assert.deepEqual(counts, ["0.0 kB", "0.9 kB", "999.9 kB", "1.0 MB", "34.2 MB", "5.0 GB", "7000.0 TB"]);
  });
});
