import assert from "node:assert/strict";
import { mock } from "node:test";
import { findingLines } from "../../../src/app/cli/findings/finding.js";
import { Style } from "../../../src/app/cli/style.js";
import { WaitingLine } from "../../../src/app/cli/waiting-line.js";

describe("a waiting line", () => {
  function drawn(isTTY: boolean, ms: number): string {
    let text = "";
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      using _line = new WaitingLine("Checking", { isTTY, columns: 40, write: (piece) => (text += piece) });
      mock.timers.tick(ms);
    } finally {
      mock.timers.reset();
    }
    return text;
  }

  it("is there from the first second on, and leaves nothing", () => {
    assert.equal(drawn(true, 999), "");
    const erase = "\r\u001b[K";
    assert.equal(drawn(true, 2_000), `${erase}Checking (1 s)${erase}Checking (2 s)${erase}`);
  });

  it("is not there without a terminal", () => assert.equal(drawn(false, 5_000), ""));
});

describe("colours", () => {
  for (const [isTTY, env, isColoured] of [
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [true, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ] as const) {
    it(`are ${isColoured ? "on" : "off"} with ${JSON.stringify(env)} ${isTTY ? "in" : "without"} a terminal`, () => {
      assert.equal(Style.of({ isTTY }, env).red("x"), isColoured ? "\u001b[31mx\u001b[39m" : "x");
    });
  }

  it("tell findings apart", () => {
    const findings = [
      { check: "a", status: "ok", text: "there" },
      { check: "bc", status: "fail", text: "gone", remedy: "Find it." },
    ] as const;
    assert.equal(findingLines(findings, new Style(false)), "ok    a   there\nfail  bc  gone\n          Find it.");
    assert.equal(findingLines(findings.slice(0, 1), new Style(true)), "\u001b[32mok  \u001b[39m  a  there");
  });
});
