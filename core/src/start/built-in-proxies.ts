import { homedir } from "node:os";
import type { Proxy } from "../conductor/proxy.js";
import type { Environment } from "./environment.js";
import { openLanguageServers } from "./language-servers.js";
import { productVersion } from "./product-version.js";

/** Parts of an environment that proxies are made of. */
export type ProxyParts = Pick<
  Environment,
  "logger" | "watchdog" | "trust" | "confined" | "languageServers" | "isReadable" | "settings"
>;

/** A proxy that ships with the product. */
interface BuiltInProxy {
  /** Its name in config.jsonc and after `--proxy`. */
  readonly name: string;
  /** One line for people. */
  readonly description: string;
  /** Loads it and makes one for a chain; `options` come from its entry in config.jsonc, unread. */
  make(options: Readonly<Record<string, unknown>>, parts: ProxyParts): Promise<Proxy>;
}

/**
 * Every built-in proxy, in the order in which `defaults` puts them into a chain. Sparkle stands before Ferris, so that
 * research sessions of Ferris do not get its context.
 */
export const builtInProxies: readonly BuiltInProxy[] = [
  {
    name: "sparkle",
    description: "remembers how you work, across sessions and workspaces",
    async make(options, { logger }) {
      const { sparkleProxy } = await import("../proxies/sparkle/sparkle-proxy.js");
      const { sparkleServices } = await import("../proxies/sparkle/node.js");
      return sparkleProxy(options, sparkleServices(homedir()), productVersion, logger.child("sparkle"));
    },
  },
  {
    name: "ferris",
    description: "shows the agent the sources of the very crate versions your workspace uses",
    async make(options, { watchdog, trust, confined }) {
      const { ferrisProxy } = await import("../proxies/ferris/ferris-proxy.js");
      const { ferrisServices } = await import("../proxies/ferris/node.js");
      return ferrisProxy(options, ferrisServices(trust, process.env, watchdog, confined), productVersion);
    },
  },
  {
    name: "cargo",
    description: "runs cargo for the agent and tells it what matters, without the noise",
    async make(options, { watchdog, trust, confined }) {
      const { cargoProxy } = await import("../proxies/cargo/cargo-proxy.js");
      const { cargoServices } = await import("../proxies/cargo/node.js");
      return cargoProxy(options, cargoServices({ watchdog, confined }), trust, productVersion);
    },
  },
  {
    name: "ide-operations",
    description:
      "answers the agent's questions about code from language servers, the editor's own where it offers them",
    async make(options, { logger, trust, watchdog, languageServers: confine, isReadable }) {
      const { ideOperationsProxy } = await import("../proxies/ide-operations/ide-operations-proxy.js");
      const { languageServerAdapter } = await import("../proxies/ide-operations/language-server-adapter.js");
      const { ideOperationsServices } = await import("../proxies/ide-operations/node.js");
      const languageServers = openLanguageServers(options, logger, trust, confine && { confine, watchdog });
      return ideOperationsProxy(options, {
        services: ideOperationsServices(isReadable),
        version: productVersion,
        adapter: languageServerAdapter(languageServers),
        languageServers,
        trust,
      });
    },
  },
  {
    name: "tests",
    description: "runs the tests of JavaScript, Python, Go and Java projects and tells what failed, without the noise",
    async make(options, { watchdog, trust, confined, settings }) {
      const { testsProxy } = await import("../proxies/tests/tests-proxy.js");
      const { testServices } = await import("../proxies/tests/node.js");
      return testsProxy(options, testServices({ watchdog, confined }), trust, productVersion, settings.commandOutput);
    },
  },
  {
    name: "sources",
    description: "shows the agent the very versions of packages that your files import: their types, sources and docs",
    async make(options, { watchdog, trust, confined }) {
      const { sourcesProxy } = await import("../proxies/sources/sources-proxy.js");
      const { sourcesServices } = await import("../proxies/sources/node.js");
      return sourcesProxy(
        options,
        sourcesServices({ watchdog, trust, isConfined: confined !== undefined }),
        productVersion,
      );
    },
  },
];

/** Proxies of the product that take part only where a configuration names them. */
export const optInProxies: readonly BuiltInProxy[] = [
  {
    name: "editor-edits",
    description: "has Claude Code change files through the editor, so that the editor offers every change for review",
    async make() {
      const { editorEditsProxy } = await import("../proxies/editor-edits/editor-edits-proxy.js");
      const { editorDisk } = await import("../proxies/editor-files/node.js");
      const quirks = await import("../client/agent-quirks.js");
      return editorEditsProxy(editorDisk, productVersion, quirks);
    },
  },
];

/** All proxies of the product. */
export const ownProxies: readonly BuiltInProxy[] = [...builtInProxies, ...optInProxies];
