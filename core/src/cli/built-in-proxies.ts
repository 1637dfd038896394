import type { Proxy } from "../conductor/proxy.js";

/** A proxy that ships with the product. */
export interface BuiltInProxy {
  /** Its name in config.jsonc and after `--proxy`. */
  readonly name: string;
  /** One line for people. */
  readonly description: string;
  /** Loads it and makes one for a chain; `options` come from its entry in config.jsonc, unread. */
  make(options: Readonly<Record<string, unknown>>): Promise<Proxy>;
}

/** Every built-in proxy, in the order in which `defaults` puts them into a chain. */
export const builtInProxies: readonly BuiltInProxy[] = [];
