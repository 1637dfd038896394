import { type Command, redactText, messageOf } from "@symposium-dev/core";
import type { Logger } from "./logger.js";

export function reportCommand(logger: Logger, find: () => Command): void {
  try {
    const { command, args } = find();
    logger.info("extension", "agents are started with", { command: args[0] ?? command });
  } catch (thrown) {
    logger.error("extension", "agents can't be started", { reason: reasonOf(thrown) });
  }
}

export function unreachableReporter(logger: Logger): (what: string, thrown: unknown) => void {
  const said = new Set<string>();
  return (what, thrown) => {
    const reason = reasonOf(thrown);
    const words = `${what}\n${reason}`;
    if (!said.has(words)) logger.warn("extension", "could not be reached", { what, reason });
    said.add(words);
  };
}

function reasonOf(thrown: unknown): string {
  return redactText(messageOf(thrown));
}
