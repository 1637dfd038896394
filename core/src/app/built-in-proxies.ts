import { homedir } from "node:os";
import type { Proxy } from "../conductor/chain/proxy.js";
import type { Environment } from "./environment.js";
import { type BuiltInExtension, defaultExtensions, optInExtensions } from "../extensions/extension-names.js";
import { openLanguageServers } from "../extensions/ide-operations/node/language-servers.js";
import { productVersion } from "../base/node/product-version.js";

export type ProxyParts = Pick<
  Environment,
  "logger" | "watchdog" | "trust" | "confined" | "languageServers" | "isReadable" | "settings"
>;

interface BuiltInProxy {
  readonly name: string;
  readonly description: string;
  /** Loads the module and creates a proxy for a chain. `options` come unvalidated from the proxy's entry in config.jsonc. */
  make(options: Readonly<Record<string, unknown>>, parts: ProxyParts): Promise<Proxy>;
}

const proxies: Readonly<Record<BuiltInExtension, Omit<BuiltInProxy, "name">>> = {
  sparkle: {
    description: "remembers how you work, across sessions and workspaces",
    async make(options, { logger }) {
      const { sparkleProxy } = await import("../extensions/sparkle/sparkle-proxy.js");
      const { sparkleServices } = await import("../extensions/sparkle/node.js");
      return sparkleProxy(options, sparkleServices(homedir()), productVersion, logger.child("sparkle"));
    },
  },
  ferris: {
    description: "shows the agent the sources of the exact crate versions that your workspace uses",
    async make(options, { watchdog, trust, confined }) {
      const { ferrisProxy } = await import("../extensions/ferris/ferris-proxy.js");
      const { ferrisServices } = await import("../extensions/ferris/node.js");
      return ferrisProxy(options, ferrisServices(trust, process.env, watchdog, confined), productVersion);
    },
  },
  cargo: {
    description: "runs cargo for the agent and reports what matters, without the noise",
    async make(options, { watchdog, trust, confined }) {
      const { cargoProxy } = await import("../extensions/cargo/cargo-proxy.js");
      const { cargoServices } = await import("../extensions/cargo/node.js");
      return cargoProxy(options, cargoServices({ watchdog, confined }), trust, productVersion);
    },
  },
  "ide-operations": {
    description: "answers the agent's questions about code from language servers, using the editor's if it offers them",
    async make(options, { logger, trust, watchdog, languageServers: confine, isReadable }) {
      const { ideOperationsProxy } = await import("../extensions/ide-operations/ide-operations-proxy.js");
      const { languageServerAdapter } = await import("../extensions/ide-operations/language-server-adapter.js");
      const { ideOperationsServices } = await import("../extensions/ide-operations/node.js");
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
  tests: {
    description: "runs JavaScript, Python, Go and Java tests and reports failures without the noise",
    async make(options, { watchdog, trust, confined, settings }) {
      const { testsProxy } = await import("../extensions/test-tools/tests-proxy.js");
      const { testServices } = await import("../extensions/test-tools/node.js");
      return testsProxy(options, testServices({ watchdog, confined }), trust, productVersion, settings.commandOutput);
    },
  },
  sources: {
    description: "shows the agent the exact package versions that your files import: types, sources and docs",
    async make(options, { watchdog, trust, confined }) {
      const { sourcesProxy } = await import("../extensions/sources/sources-proxy.js");
      const { sourcesServices } = await import("../extensions/sources/node.js");
      return sourcesProxy(
        options,
        sourcesServices({ watchdog, trust, isConfined: confined !== undefined }),
        productVersion,
      );
    },
  },
  "editor-edits": {
    description: "makes Claude Code change files through the editor, so that the editor offers every change for review",
    async make() {
      const { editorEditsProxy } = await import("../extensions/editor-edits/edits-through-editor-proxy.js");
      const { editorDisk } = await import("../extensions/editor-files/node.js");
      const quirks = await import("../agents/agent-quirks.js");
      return editorEditsProxy(editorDisk, productVersion, quirks);
    },
  },
};

const named = (name: BuiltInExtension): BuiltInProxy => ({ name, ...proxies[name] });

/** Built-in proxies that the `defaults` keyword stands for, in chain order. */
export const builtInProxies: readonly BuiltInProxy[] = defaultExtensions.map(named);

/** All built-in proxies, including those that run only if a configuration names them. */
export const ownProxies: readonly BuiltInProxy[] = [...builtInProxies, ...optInExtensions.map(named)];
