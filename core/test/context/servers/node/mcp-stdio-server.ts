import { spawn } from "node:child_process";
import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

/**
 * Runs an MCP server over stdio, depending on `kind`:
 * - `both` serves all revisions.
 * - `modern` serves only the stateless one.
 * - `exit` exits immediately with code 3.
 * - `silent` never answers.
 */
function main(kind: string | undefined): void {
  if (kind === "exit") {
    process.stderr.write("the licence has expired\n");
    process.exit(3);
  }
  if (kind === "silent") {
    process.stdin.resume();
    return;
  }
  process.stdout.write("a banner that is no JSON\n");
  serveStdio(makeServer, { legacy: kind === "modern" ? "reject" : "serve" });
}

function makeServer({ era }: { readonly era: string }): McpServer {
  const server = new McpServer({ name: "fixture", version: "1" });
  const text = fromJsonSchema<{ text: string }>({ type: "object", properties: { text: { type: "string" } } });
  server.registerTool("era", { description: "Names the era and the environment" }, () => {
    return said([era, process.env["FIXTURE"] ?? "", process.cwd()].join(" "));
  });
  server.registerTool("echo", { inputSchema: text }, (args) => said(args.text));
  server.registerTool("crash", {}, () => {
    process.stderr.write("out of tea\n");
    process.exit(5);
  });
  server.registerTool("child", { description: "Starts a stubborn child and names its pid" }, () => {
    const code = "for (const s of ['SIGTERM','SIGHUP']) process.on(s, () => {}); setInterval(() => {}, 1000);";
    const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
    return said(String(child.pid));
  });
  server.registerTool("wait", {}, ({ mcpReq }) => {
    return new Promise((resolve) => mcpReq.signal.addEventListener("abort", () => resolve(said("stopped"))));
  });
  return server;
}

function said(text: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text }] };
}

main(process.argv[2]);
