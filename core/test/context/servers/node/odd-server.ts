import { acceptedContent, fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/** An MCP server over stdio with tools that show what its client does, and others that break what they can; `modern` serves the stateless revision alone. */
function makeServer(): McpServer {
  const server = new McpServer(
    { name: "odd", version: "1" },
    { capabilities: { logging: {} }, instructions: "Ask it where it is." },
  );
  server.registerTool("where", { description: "Says where it runs" }, () =>
    said(`${process.cwd()} ${process.env["FIXTURE"] ?? ""} ${process.pid}`),
  );
  server.registerTool("grow", {}, () => {
    server.registerTool("grown", {}, () => said("grown"));
    return said("one more");
  });
  server.registerTool("ask", {}, ({ mcpReq }) => {
    const answer = acceptedContent<{ tea: string }>(mcpReq.inputResponses, "tea");
    if (answer) return said(`tea: ${answer.tea}`);
    if (mcpReq.inputResponses) return said("no tea");
    const requestedSchema = { type: "object" as const, properties: { tea: { type: "string" as const } } };
    return inputRequired({ inputRequests: { tea: inputRequired.elicit({ message: "Which tea?", requestedSchema }) } });
  });
  server.registerTool("roots", {}, ({ mcpReq }) => {
    const listed = mcpReq.inputResponses?.["roots"];
    if (listed) return said(JSON.stringify(listed));
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool("progress", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken === undefined) return said("nobody listens");
    await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    return new Promise((resolve) => mcpReq.signal.addEventListener("abort", () => resolve(said("stopped"))));
  });
  server.registerTool("die", {}, () => {
    process.stderr.write("out of tea\n");
    process.exit(7);
  });
  server.registerTool("hang", {}, ({ mcpReq }) => {
    return new Promise((resolve) => mcpReq.signal.addEventListener("abort", () => resolve(said("stopped"))));
  });
  server.registerTool("flood", {}, () => {
    const line = `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } })}\n`;
    const pour = (): void => {
      // As fast as it is read: what piles up in its own memory floods nobody.
      if (process.stdout.write(line.repeat(1_000))) setImmediate(pour);
      else process.stdout.once("drain", pour);
    };
    pour();
    return said("now");
  });
  server.registerTool("garbage", {}, () => {
    process.stdout.write('}{ no JSON\n[1,2]\n{"jsonrpc":"2.0","id":99,"result":{}}\n');
    return said("after garbage");
  });
  server.registerTool("long", {}, () => {
    process.stdout.write(`${"x".repeat(2_000_000)}\n`);
    return said("after a long line");
  });
  const topic = fromJsonSchema<{ topic: string }>({
    type: "object",
    properties: { topic: { type: "string" } },
    required: ["topic"],
  });
  server.registerPrompt("poem", { description: "A poem", argsSchema: topic }, ({ topic: about }) => ({
    messages: [{ role: "user", content: { type: "text", text: `A poem about ${about}` } }],
  }));
  server.registerResource("note", "note://1", {}, () => ({ contents: [{ uri: "note://1", text: "noted" }] }));
  return server;
}

function said(text: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text }] };
}

if (process.argv[2] === "silent") process.stdin.resume();
else serveStdio(makeServer, { legacy: process.argv[2] === "modern" ? "reject" : "serve" });
