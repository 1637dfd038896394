import { Logger } from "../../base/logger.js";
import type { ContributingProxy } from "../../context/contributing-proxy.js";
import { SparkleMemory } from "./memory.js";
import type { SparkleServices } from "./services.js";
import { sparkleContext } from "./sparkle-context.js";
import { parseSparkleOptions } from "./sparkle-options.js";
import { sparkleServer } from "./sparkle-server.js";

/**
 * Extension that remembers the user's work preferences. Provides tools, and context that the context proxy adds; invalid `options` are
 * ignored (see {@link parseSparkleOptions}).
 */
export function sparkleProxy(
  options: unknown,
  services: SparkleServices,
  version = "0.0.0",
  logger = Logger.silent,
): ContributingProxy {
  const parsed = parseSparkleOptions(options);
  return {
    name: "sparkle",
    contextSource: sparkleContext({ options: parsed, services, logger }),
    connect: () => ({
      mcpServers: ({ cwd }) =>
        parsed.tools.size === 0 ? [] : [sparkleServer(new SparkleMemory(services, cwd), parsed, version)],
    }),
  };
}
