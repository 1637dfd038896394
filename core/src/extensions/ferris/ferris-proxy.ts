import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import type { Proxy, ProxyChain, ProxyHandlers, RequestHandler } from "../../conductor/chain/proxy.js";
import { CrateLocator } from "./crates/crate-locator.js";
import { type FerrisOptions, ferrisServer, parseFerrisOptions } from "./ferris-server.js";
import { researchClient } from "./research/research-client.js";
import { Researcher } from "./research/researcher.js";
import { SessionFilter } from "./research/session-filter.js";
import type { FerrisServices } from "./services.js";

/**
 * Extension that gives agents access to crate sources. Only sessions in folders with Rust packages get its tools. Invalid `options` are
 * ignored: see {@link parseFerrisOptions}.
 */
export function ferrisProxy(options: unknown, services: FerrisServices, version = "0.0.0"): Proxy {
  const parsed = parseFerrisOptions(options);
  return { name: "ferris", connect: (chain) => connectFerris(chain, parsed, services, version) };
}

function connectFerris(
  chain: ProxyChain,
  options: FerrisOptions,
  services: FerrisServices,
  version: string,
): ProxyHandlers {
  const locator = new CrateLocator(services);
  const filter = new SessionFilter(chain.client);
  const researcher = new Researcher(chain, filter, options.researchTimeoutMs, chain.logger);
  const setUp: RequestHandler = (request, reply) => {
    filter.noteUser(request.params?.object?.["sessionId"]);
    return chain.successor.request(request, (outcome) => {
      if (!outcome.isError) filter.noteUser(outcome.json.object?.["sessionId"]);
      reply(outcome);
    });
  };
  return {
    clientRequests: {
      [acpMethods.initialize]: (request, reply) =>
        chain.successor.request(request, (outcome) => {
          researcher.noteInitialized(outcome);
          reply(outcome);
        }),
      ...sessionHandlers<RequestHandler>(setUp),
    },
    agentRequests: researchClient(chain.client, (sessionId) => filter.research(sessionId)),
    agentNotifications: { [acpMethods.sessionUpdate]: filter.filter },
    mcpServers(session) {
      const research = researcher.openingServer;
      if (research) return [research];
      if (options.tools.size === 0 || !services.hasWorkspace(session.cwd)) return [];
      return [ferrisServer({ locator, options, session, version, researcher })];
    },
    [Symbol.asyncDispose]() {
      researcher.stop();
      return Promise.resolve();
    },
  };
}
