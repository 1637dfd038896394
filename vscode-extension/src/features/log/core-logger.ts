import { type LogEvent, Logger as CoreLogger } from "@symposium-dev/core";
import type { Logger } from "./logger.js";

export function coreLogger(logger: Logger, target: string): CoreLogger {
  const sink = ({ level, target: category, event, fields }: LogEvent): void => {
    const data = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    logger.log(level, category, event, Object.keys(data).length === 0 ? undefined : data);
  };
  return new CoreLogger(sink, target);
}
