import assert from "node:assert/strict";
import { type LogEvent, LogFilter, Logger, logLevels } from "../../src/base/logger.js";

const allowed = (text: string, target: string): string[] => {
  const { filter } = LogFilter.parse(text);
  return logLevels.filter((level) => filter.allows(level, target));
};

describe("LogFilter", () => {
  it("lets a level and all quieter ones pass", () => {
    assert.deepEqual(
      ["off", "", "error", "info", "trace"].map((text) => allowed(text, "any").length),
      [0, 0, 1, 3, 5],
    );
  });

  it("takes the longest prefix that names a target or its parent", () => {
    const text = "warn, conductor=debug ,conductor.agent=off,mcp=trace";
    const targets = [
      "symposium",
      "conductor",
      "conductor.agent",
      "conductor.agent.x",
      "conductor.agents",
      "mcp.x",
      "mcps",
    ];
    assert.deepEqual(
      targets.map((target) => [target, allowed(text, target).at(-1)]),
      [
        ["symposium", "warn"],
        ["conductor", "debug"],
        ["conductor.agent", undefined],
        ["conductor.agent.x", undefined],
        ["conductor.agents", "debug"],
        ["mcp.x", "trace"],
        ["mcps", "warn"],
      ],
    );
  });

  it("names the parts it cannot read and uses the others", () => {
    const { filter, problems } = LogFilter.parse("loud,a=quiet,b=info,,error");
    assert.deepEqual(
      [problems, filter.allows("info", "b"), filter.allows("error", "x"), filter.allows("warn", "a")],
      [["loud", "a=quiet"], true, true, false],
    );
  });
});

describe("Logger", () => {
  it("hands on the event, its target and the fields of all its parents", () => {
    const events: LogEvent[] = [];
    const logger = new Logger((event) => events.push(event));
    logger.info("root");
    logger.child("agent", { session: "s" }).child("agent.turn", { turn: 1 }).error("failed", { turn: 2, code: 3 });
    assert.deepEqual(events, [
      { level: "info", target: "symposium", event: "root", fields: {} },
      { level: "error", target: "agent.turn", event: "failed", fields: { session: "s", turn: 2, code: 3 } },
    ]);
  });
});
