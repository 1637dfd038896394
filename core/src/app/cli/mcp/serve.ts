import { homedir } from "node:os";
import { Logger } from "../../../base/logger.js";
import { Scope } from "../../../base/scope.js";
import { invalidArguments } from "../../../base/symposium-error.js";
import type { Proxy } from "../../../conductor/chain/proxy.js";
import type { McpServer } from "../../../base/mcp/mcp-server.js";
import { ToolServer } from "../../../base/mcp/tool-server.js";
import { completeEnvironment } from "../../../settings/node/complete-environment.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { serveMcp } from "../../../conductor/node/serve-stdio.js";
import { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { nobody } from "../../../base/rpc/peer.js";
import { JsonDocument } from "../../../settings/json-document.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { vouchingFor } from "../../../settings/trust/node/trusted-worktrees.js";
import { type OptionDeclarations, trustOption } from "../options.js";
import { productVersion } from "../../../base/node/product-version.js";
import type { Subcommand } from "../declaration.js";
import { subcommand } from "../subcommand.js";
import type { ServedExtension } from "../../../extensions/extension-names.js";

interface Surroundings {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly scope: Scope;
  readonly watchdog: Watchdog;
  readonly trust: FolderTrust;
}

type OpenServer = (options: unknown, surroundings: Surroundings) => Promise<McpServer>;

/** Extensions with tools that work without an agent, each loaded on demand. */
const servers: Readonly<Record<ServedExtension, OpenServer>> = {
  async sparkle(options, { cwd }) {
    const { SparkleMemory } = await import("../../../extensions/sparkle/memory.js");
    const { parseSparkleOptions } = await import("../../../extensions/sparkle/sparkle-options.js");
    const { sparkleServer } = await import("../../../extensions/sparkle/sparkle-server.js");
    const { sparkleServices } = await import("../../../extensions/sparkle/node.js");
    const memory = new SparkleMemory(sparkleServices(homedir()), cwd);
    return sparkleServer(memory, parseSparkleOptions(options), productVersion);
  },
  async ferris(options, { cwd, signal, watchdog, trust }) {
    const { CrateLocator } = await import("../../../extensions/ferris/crates/crate-locator.js");
    const { parseFerrisOptions } = await import("../../../extensions/ferris/ferris-server.js");
    const { ferrisServer } = await import("../../../extensions/ferris/ferris-server.js");
    const { ferrisServices } = await import("../../../extensions/ferris/node.js");
    const locator = new CrateLocator(ferrisServices(trust, process.env, watchdog));
    const session = { cwd, signal };
    return ferrisServer({ locator, options: parseFerrisOptions(options), session, version: productVersion });
  },
  async cargo(options, { cwd, signal, scope, watchdog, trust }) {
    const { cargoProxy } = await import("../../../extensions/cargo/cargo-proxy.js");
    const { cargoServices } = await import("../../../extensions/cargo/node.js");
    // Offers the tools regardless of the folder's content, since the client started this server on purpose.
    const services = { ...cargoServices({ watchdog }), hasWorkspace: () => true };
    return serverOf(cargoProxy(options, services, trust, productVersion), { cwd, signal, scope });
  },
  async tests(options, { cwd, signal, scope, watchdog, trust }) {
    const { testsProxy } = await import("../../../extensions/test-tools/tests-proxy.js");
    const { testServices } = await import("../../../extensions/test-tools/node.js");
    // Offers the tools regardless of the folder's content, since the client started this server on purpose.
    const services = { ...testServices({ watchdog }), hasProject: () => true };
    return serverOf(testsProxy(options, services, trust, productVersion), { cwd, signal, scope });
  },
  async sources(options, { cwd, signal, scope, watchdog, trust }) {
    const { sourcesProxy } = await import("../../../extensions/sources/sources-proxy.js");
    const { sourcesServices } = await import("../../../extensions/sources/node.js");
    // Offers the tools regardless of the folder's content, since the client started this server on purpose.
    const services = { ...sourcesServices({ watchdog, trust }), hasPackages: () => true };
    return serverOf(sourcesProxy(options, services, productVersion), { cwd, signal, scope });
  },
  async "ide-operations"(options, { cwd, signal, scope, trust }) {
    const { ideOperationsServer } = await import("../../../extensions/ide-operations/ide-operations-server.js");
    const { parseIdeOperationsOptions } = await import("../../../extensions/ide-operations/ide-operations-options.js");
    const { ideOperationsServices } = await import("../../../extensions/ide-operations/node.js");
    const { openLanguageServers } = await import("../../../extensions/ide-operations/node/language-servers.js");
    const ide = scope.add(await openLanguageServers(options, Logger.silent, trust)(cwd));
    const { tools } = parseIdeOperationsOptions(options);
    const services = ideOperationsServices();
    return ideOperationsServer({ ide, services, folder: cwd, signal, version: productVersion, tools });
  },
};

/** Returns the server of a proxy that only provides tools and therefore needs no chain. */
function serverOf(proxy: Proxy, { cwd, signal, scope }: Pick<Surroundings, "cwd" | "signal" | "scope">): McpServer {
  const handlers = proxy.connect({ client: nobody, successor: nobody, logger: Logger.silent });
  scope.add(async () => handlers[Symbol.asyncDispose]?.());
  const [server] = handlers.mcpServers?.({ sessionId: undefined, cwd, signal }) ?? [];
  return server ?? new ToolServer({ name: proxy.name, version: productVersion, tools: [] });
}

const serveOptions = {
  options: { value: "JSON", about: "the extension's options, as in config.jsonc" },
  ...trustOption,
} as const satisfies OptionDeclarations;

/**
 * `mcp NAME [--options JSON]`: serves a built-in extension's tools over stdio to clients without ACP. Works in the current folder and ends
 * with its input.
 */
export function serveExtension(name: ServedExtension): Subcommand {
  return subcommand({
    name: `mcp ${name}`,
    about: `Serve the tools of ${name} as an MCP server over stdio.`,
    options: serveOptions,
    run: ({ values }) => serve(servers[name], values.options, values["trusted-folder"]),
  });
}

async function serve(
  open: OpenServer,
  optionsText: string | undefined,
  trustedFolders: readonly string[] | undefined,
): Promise<number> {
  const options = readOptions(optionsText);
  await completeEnvironment(defaultSettings.loginEnvironment);
  const stop = new AbortController();
  const scope = new Scope();
  const watchdog = scope.add(new Watchdog());
  const trust = await vouchingFor(trustedFolders);
  scope.add(() => stop.abort());
  const server = await open(options, { cwd: process.cwd(), signal: stop.signal, scope, watchdog, trust });
  // oxlint-disable-next-line typescript/no-misused-promises -- finally() waits for the promise that it gets
  const served = serveMcp(server, stop.signal).finally(() => scope[Symbol.asyncDispose]());
  using _signals = endOnSignals({
    end: () => {
      stop.abort();
      return served;
    },
    kill: () => watchdog.kill(),
  });
  await served;
  return 0;
}

function readOptions(text: string | undefined): unknown {
  if (text === undefined) return {};
  const { value, isBroken } = JsonDocument.parse(text);
  if (!isBroken && typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalidArguments(
    `mcp --options must be a JSON object, not ${text}.`,
    'Use the extension\'s options as in config.jsonc, such as --options \'{"tools":["crate_sources"]}\'.',
  );
}
