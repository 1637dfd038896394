import type { Proxy } from "../../conductor/proxy.js";
import type { SparkleServices } from "./services.js";
import { SparkleConnection } from "./sparkle-connection.js";
import { parseSparkleOptions } from "./sparkle-options.js";

/** The extension that remembers how its user works. `options` are read tolerantly: see {@link parseSparkleOptions}. */
export function sparkleProxy(options: unknown, services: SparkleServices, version = "0.0.0"): Proxy {
  const parsed = parseSparkleOptions(options);
  return { name: "sparkle", connect: (chain) => new SparkleConnection(chain, parsed, services, version).handlers };
}
