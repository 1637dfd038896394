import type { Proxy } from "../../conductor/chain/proxy.js";
import { ToolServer } from "../../base/mcp/tool-server.js";
import { asObject } from "../../base/rpc/json.js";
import type { SourcesServices } from "./services.js";
import { sourcesTools } from "./sources-tools.js";

const name = "sources";

/** Usage notes that are sent to the model. */
const instructions =
  "Before you use an API of a library, or wonder why it behaves as it does, look it up here instead of guessing or searching the web: " +
  "package_item shows a symbol as the installed version declares it, package_search finds lines in it, and package_sources says " +
  "which version the importing file really gets. Several versions of one package are normal: pass the importing file as `from`.";

/** Adds an MCP server for the packages that a project imports, in sessions whose folder looks like a project. `options` are `{tools?}`. */
export function sourcesProxy(options: unknown, services: SourcesServices, version: string): Proxy {
  const { tools } = asObject(options) ?? {};
  const wanted = Array.isArray(tools) ? new Set<unknown>(tools) : undefined;
  return {
    name,
    connect: () => ({
      mcpServers: ({ cwd }) => {
        if (wanted?.size === 0 || !services.hasPackages(cwd)) return [];
        const all = sourcesTools(services, cwd);
        return [
          new ToolServer({
            name,
            version,
            instructions,
            tools: all.filter((tool) => wanted?.has(tool.name) !== false),
          }),
        ];
      },
    }),
  };
}
