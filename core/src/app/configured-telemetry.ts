import type { Logger } from "../base/logger.js";
import { productVersion } from "../base/node/product-version.js";
import type { SentTelemetry } from "../sessions/telemetry/node/sent-telemetry.js";
import { telemetryTarget } from "../sessions/telemetry/telemetry-target.js";
import { telemetryLimits } from "../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";
import { defaultTelemetrySettings, type TelemetrySettings } from "../settings/telemetry-settings.js";

interface TelemetryParts {
  readonly logger: Logger;
  readonly mask: (text: string) => string;
}

/** Loads and starts telemetry; undefined if neither OpenTelemetry's variables nor config.jsonc name a receiver. */
export async function configuredTelemetry({ logger, mask }: TelemetryParts): Promise<SentTelemetry | undefined> {
  const { readConfiguration } = await import("./configuration.js");
  const state = await readConfiguration();
  const settings: TelemetrySettings = state.state === "ok" ? state.config.settings.telemetry : defaultTelemetrySettings;
  const target = telemetryTarget({
    environment: process.env,
    settings,
    limits: telemetryLimits(await systemPolicy()),
  });
  if (!target) return undefined;
  if ("problem" in target) {
    logger.error("no telemetry is sent", { problem: target.problem });
    return undefined;
  }
  const { SentTelemetry } = await import("../sessions/telemetry/node/sent-telemetry.js");
  return new SentTelemetry({ target, version: productVersion, logger, traceparent: process.env["TRACEPARENT"], mask });
}
