import { Json } from "../rpc/json.js";
import { mcpResult, type McpServer, type RefuseTool } from "./mcp-server.js";
import { failedTool } from "./tool-server.js";
import { mcpMethods } from "./wire.js";

/** Wraps a server so that `refuse` can veto each tool call; the model gets the reason. */
export function judgedServer(server: McpServer, refuse: RefuseTool): McpServer {
  const { name, originalName, takesLogLevel } = server;
  return {
    name,
    ...(takesLogLevel !== undefined && { takesLogLevel }),
    ...(server.subscribe && { subscribe: server.subscribe.bind(server) }),
    describe: (signal) => server.describe(signal),
    async call(method, params, context) {
      if (method !== mcpMethods.toolsCall) return server.call(method, params, context);
      const { signal } = context;
      if (server.callsOthers === true) {
        const { clientName } = context;
        return server.call(method, params, {
          signal,
          clientName,
          refuse,
          notify: (...note) => context.notify(...note),
        });
      }
      const call = params ?? Json.of({});
      const { name: tool, arguments: args = {} } = call.object ?? {};
      const named = { server: name, originalServer: originalName ?? name, tool: String(tool), arguments: args };
      const reason = await refuse(named, signal);
      return reason === undefined ? server.call(method, params, context) : mcpResult(failedTool(reason));
    },
  };
}
