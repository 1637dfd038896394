/**
 * esbuild's plugin that leaves out of the MCP client its checker of JSON schemas, a third of its size: whoever connects in
 * `core/src/context/servers/node/mcp-client` brings one of its own.
 */
export const mcpClientParts = {
  name: "mcp-client-parts",
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/client\/_shims$/ }, ({ path }) => ({
      path,
      namespace: "mcp-client-parts",
    }));
    build.onLoad({ filter: /./, namespace: "mcp-client-parts" }, () => ({
      contents: "export const CORS_IS_POSSIBLE = false; export class DefaultJsonSchemaValidator {}",
    }));
  },
};
