import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { promisify } from "node:util";
import { McpHttpServer } from "../../context/servers/node/mcp-http-server.js";

const run = promisify(execFile);
const mcpClient = new URL("../../../src/context/servers/node/mcp-client.js", import.meta.url).href;
const module = new URL("../../../src/base/node/proxied-fetch.js", import.meta.url).href;

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("fetching where a proxy is set", function () {
  this.timeout(120_000);

  const tunnels: string[] = [];
  const target = createServer((_request, response) => response.end("the text"));
  const proxy = createServer();
  let targetAddress = "";
  let proxyAddress = "";

  before(async () => {
    proxy.on("connect", (request, client) => {
      tunnels.push(request.url ?? "");
      // Nobody else knows the name `target.example`.
      const { port } = new URL(`http://${request.url ?? ""}`);
      const upstream = connect(Number(port), "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
    });
    targetAddress = await listening(target);
    proxyAddress = await listening(proxy);
  });
  beforeEach(() => {
    tunnels.length = 0;
  });
  after(() => {
    for (const server of [target, proxy]) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** In a process of its own, since the proxy is read from the environment once. */
  async function fetched(env: Readonly<Record<string, string>>, address = targetAddress): Promise<string> {
    const script = `const { proxiedFetch } = await import(${JSON.stringify(module)});
      const response = await proxiedFetch(${JSON.stringify(address)}, { redirect: "manual" });
      if (!(response instanceof Response) || response.url !== ${JSON.stringify(new URL(address).href)}) throw new Error();
      console.log(response.status, await response.text()); process.exit(0);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    return stdout.trim();
  }

  it("goes through the proxy", async () => {
    const { port } = new URL(targetAddress);
    assert.equal(await fetched({ HTTP_PROXY: proxyAddress }, `http://target.example:${port}`), "200 the text");
    assert.deepEqual(tunnels, [`target.example:${port}`]);
  });

  it("goes straight to hosts that NO_PROXY names", async () => {
    const { port } = new URL(targetAddress);
    const env = { HTTP_PROXY: proxyAddress, NO_PROXY: "target.example" };
    // Nobody has this name, which a proxy would not have to know.
    await assert.rejects(fetched(env, `http://target.example:${port}`), /ENOTFOUND|EAI_AGAIN/);
    assert.deepEqual(tunnels, []);
  });

  it("goes straight to this very machine", async () => {
    assert.equal(await fetched({ HTTP_PROXY: proxyAddress }), "200 the text");
    assert.deepEqual(tunnels, []);
  });

  it("goes straight where no proxy is set", async () => {
    assert.equal(await fetched({}), "200 the text");
    assert.deepEqual(tunnels, []);
  });

  for (const era of ["modern", "legacy", "sse"] as const) {
    it(`brings calls to an MCP server behind the proxy, ${era}`, async () => {
      await using server = await McpHttpServer[era]();
      const url = new URL(server.url);
      url.hostname = "target.example";
      const entry = { type: era === "sse" ? "sse" : "http", name: "far", url: url.href, headers: { "x-key": "1" } };
      const script = `const { McpClient } = await import(${JSON.stringify(mcpClient)});
        const client = new McpClient({ clientInfo: { name: "test", version: "1" } });
        const context = { signal: new AbortController().signal, cwd: "/" };
        const connection = await client.connect(${JSON.stringify(entry)}, context);
        const result = await connection.callTool("era", {}, context.signal);
        console.log(JSON.stringify(result)); process.exit(0);`;
      const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], {
        env: { HTTP_PROXY: proxyAddress },
      });
      assert.match(stdout, new RegExp(`"text":"${era}"`));
      assert.ok(tunnels.length > 0 && tunnels.every((one) => one === url.host));
    });
  }
});
