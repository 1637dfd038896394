import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

// An MCP server as its authors make one, with the official SDK.
const server = new McpServer({ name: "clock", version: "1.0.0" });
server.registerTool("now", { description: "The time" }, () => ({ content: [{ type: "text", text: "noon" }] }));
await server.connect(new StdioServerTransport());
