import type { Logger } from "../../../base/logger.js";
import { productVersion } from "../../../base/node/product-version.js";
import { telemetryTarget, type TelemetryWishes } from "../telemetry-target.js";
import type { SentTelemetry } from "./sent-telemetry.js";

interface TelemetryParts extends Omit<TelemetryWishes, "environment"> {
  readonly logger: Logger;
  readonly mask: (text: string) => string;
}

/** Loads and starts telemetry; undefined if neither OpenTelemetry's variables nor the settings name a receiver. */
export async function startTelemetry({ logger, mask, ...wishes }: TelemetryParts): Promise<SentTelemetry | undefined> {
  const target = telemetryTarget({ environment: process.env, ...wishes });
  if (!target) return undefined;
  if ("problem" in target) {
    logger.error("no telemetry is sent", { problem: target.problem });
    return undefined;
  }
  const { SentTelemetry } = await import("./sent-telemetry.js");
  return new SentTelemetry({ target, version: productVersion, logger, traceparent: process.env["TRACEPARENT"], mask });
}
