import assert from "node:assert/strict";
import { coreLogger } from "../../../src/features/log/core-logger.js";
import { type LogEvent, Logger, logLine } from "../../../src/features/log/logger.js";

/** A logger, what its writer wrote, and what its listener heard. */
function recorded(): { readonly logger: Logger; readonly written: string[]; readonly heard: unknown[] } {
  const written: string[] = [];
  const heard: unknown[] = [];
  const logger = new Logger({ write: (event) => written.push(`${event.level} ${logLine(event)}`) });
  logger.onLog(({ timestamp, ...event }: LogEvent) => heard.push({ ...event, isDated: timestamp instanceof Date }));
  return { logger, written, heard };
}

describe("the log of the extension", () => {
  it("tells listeners and the writer every event, with its category and data", () => {
    const { logger, written, heard } = recorded();
    logger.info("agent.process", "started", { pid: 7 });
    logger.error("history", "not written");
    assert.deepEqual(heard, [
      { level: "info", category: "agent.process", message: "started", data: { pid: 7 }, isDated: true },
      { level: "error", category: "history", message: "not written", isDated: true },
    ]);
    assert.deepEqual(written, ['info agent.process: started {"pid":7}', "error history: not written"]);
  });

  it("takes the events of the core, whose target becomes the category", () => {
    const { logger, heard } = recorded();
    coreLogger(logger, "agent").child("process", { agent: "eliza" }).warn("slow", { ms: 5, reason: undefined });
    assert.deepEqual(heard, [
      { level: "warn", category: "process", message: "slow", data: { agent: "eliza", ms: 5 }, isDated: true },
    ]);
  });

  it("tells a listener nothing more once it is disposed", () => {
    const { logger } = recorded();
    const heard: string[] = [];
    const subscription = logger.onLog(({ message }) => heard.push(message));
    logger.debug("test", "one");
    subscription.dispose();
    logger.debug("test", "two");
    assert.deepEqual(heard, ["one"]);
  });
});
