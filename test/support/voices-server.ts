import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { fromMcpServer } from "@agentclientprotocol/sdk/experimental/mcp-server";
import type { McpRequestHandler } from "@agentclientprotocol/sdk/unstable";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { keepAliveMs } from "#core/base/node/loopback-server.js";

/** An MCP server with one tool, `shout`, that returns its text in capitals, served over MCP over ACP. */
export function voicesOverAcp(): McpRequestHandler {
  return fromMcpServer(voices).handler;
}

interface HttpMcpServer extends AsyncDisposable {
  readonly url: string;
}

/** The same server over HTTP on a free loopback port, for clients of every era of MCP. */
export async function voicesOverHttp(): Promise<HttpMcpServer> {
  const handler = createMcpHandler(voices);
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const response = await handler.fetch(await toRequest(incoming));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    for await (const chunk of response.body ?? []) outgoing.write(chunk);
    outgoing.end();
  };
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy());
  });
  // Node's 5 s end a connection in the moment in which a client uses it again.
  server.keepAliveTimeout = keepAliveMs;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The MCP server got no port.");
  return {
    url: `http://127.0.0.1:${address.port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await handler.close();
    },
  };
}

function voices(): McpServer {
  const server = new McpServer({ name: "voices", version: "1.0.0" });
  server.registerTool(
    "shout",
    { description: "Returns the text in capitals.", inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: "text", text: text.toUpperCase() }] }),
  );
  return server;
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const method = incoming.method ?? "GET";
  const hasBody = method !== "GET" && method !== "HEAD";
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "127.0.0.1"}`);
  return new Request(url, { method, headers, ...(hasBody && { body: await buffer(incoming) }) });
}
