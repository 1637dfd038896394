import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { promisify } from "node:util";

const run = promisify(execFile);
const module = new URL("../../src/node/fetch-text.js", import.meta.url).href;

async function listening(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("fetching where a proxy is set", () => {
  const tunnels: string[] = [];
  const target = createServer((_request, response) => response.end("the text"));
  const proxy = createServer();
  let targetAddress = "";
  let proxyAddress = "";

  before(async () => {
    proxy.on("connect", (request, client) => {
      tunnels.push(request.url ?? "");
      const { hostname, port } = new URL(`http://${request.url ?? ""}`);
      const upstream = connect(Number(port), hostname, () => {
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
  async function fetched(env: Readonly<Record<string, string>>): Promise<string> {
    const script = `const { proxiedFetch } = await import(${JSON.stringify(module)});
      const response = await proxiedFetch(${JSON.stringify(targetAddress)}, { redirect: "manual" });
      console.log(response.status, await response.text()); process.exit(0);`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
    return stdout.trim();
  }

  it("goes through the proxy", async () => {
    assert.equal(await fetched({ HTTP_PROXY: proxyAddress }), "200 the text");
    assert.deepEqual(tunnels, [new URL(targetAddress).host]);
  });

  it("goes straight to hosts that NO_PROXY names", async () => {
    assert.equal(await fetched({ HTTP_PROXY: proxyAddress, NO_PROXY: "127.0.0.1" }), "200 the text");
    assert.deepEqual(tunnels, []);
  });

  it("goes straight where no proxy is set", async () => {
    assert.equal(await fetched({}), "200 the text");
    assert.deepEqual(tunnels, []);
  });
});
