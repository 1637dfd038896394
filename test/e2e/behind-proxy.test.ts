import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { pathWith } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

describe("the command behind a proxy", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("reaches an MCP server through it", async () => {
    const asked: string[] = [];
    const target = createServer((request, response) => {
      asked.push(`${request.method ?? ""} ${request.headers.host ?? ""}`);
      response.writeHead(503).end();
    });
    const proxy = createServer();
    proxy.on("connect", (_request, client) => {
      const upstream = connect((target.address() as AddressInfo).port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
    });
    for (const server of [target, proxy]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      scope().defer(() => {
        server.closeAllConnections();
        server.close();
      });
    }
    const { env, workspace } = scope().use(await createRunFolder("behind-proxy"));
    const proxied = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, PATH: pathWith() };
    const run = (...words: readonly string[]) =>
      runToEnd({ words: [...conductorWords, ...words], env: { ...env, ...proxied }, cwd: workspace }, 120_000);
    await run("mcp", "add", "far", "--url", "http://target.example/mcp");
    await run("mcp", "test", "far");
    assert.ok(asked.includes("POST target.example"), asked.join());
  });
});
