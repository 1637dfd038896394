import assert from "node:assert/strict";
import { createServer } from "node:http";
import { connect, type Socket } from "node:net";
import { proxyFor } from "../../src/base/node/proxied-fetch.js";
import { hostRule, httpServer, listening, needsNamespaces, SandboxWorld } from "./sandbox-network-fixture.js";

const name = "api.example.test";
const curl = ["curl", "-sS", "-v", "--max-time", "20"];
const password = "kept to itself";

/** A company's proxy, which knows all names, and wants to know who asks. Everything leads to this machine's `port`. */
async function companyProxy(
  port: number,
): Promise<{ readonly opened: string[]; readonly port: number } & AsyncDisposable> {
  const opened: string[] = [];
  const server = createServer().on("connect", (request, client: Socket) => {
    const given = Buffer.from((request.headers["proxy-authorization"] ?? "").replace("Basic ", ""), "base64");
    if (given.toString() !== `someone:${password}`) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    opened.push(request.url ?? "");
    const socket = connect(port, "127.0.0.1", () => client.write("HTTP/1.1 200 Open\r\n\r\n"));
    socket.on("error", () => client.destroy());
    client.on("error", () => socket.destroy());
    socket.pipe(client).pipe(socket);
  });
  return Object.assign(await listening(server), { opened });
}

const through = (port: number, user = `someone:${encodeURIComponent(password)}`, noProxy = "") => {
  const proxy = `http://${user}@127.0.0.1:${port}`;
  return (url: URL): URL | undefined => proxyFor(url, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy });
};

describe("the network of a sandbox behind a company's proxy", function () {
  this.timeout(60_000);
  before(function () {
    needsNamespaces(this);
  });

  it("leads through that, also to names that only the proxy knows", async () => {
    await using server = await httpServer(
      (request, response) => void response.end(`for ${request.headers.host ?? ""}`),
    );
    await using company = await companyProxy(server.port);
    await using world = new SandboxWorld({
      rules: [hostRule("allow", name), hostRule("allow", `${name}:80`)],
      upstreamOf: through(company.port),
    });
    for (const option of [[], ["--proxytunnel"]]) {
      const { stdout } = await world.run([...curl, ...option, `http://${name}/`]);
      assert.equal(stdout, `for ${name}`);
    }
    assert.deepEqual(company.opened, [`${name}:80`, `${name}:80`]);
  });

  it("asks first, as without it, and goes by what names say here", async () => {
    await using company = await companyProxy(1);
    await using world = new SandboxWorld({
      rules: [hostRule("allow", `${name}:80`)],
      names: { [name]: ["169.254.169.254"] },
      answer: () => Promise.resolve("no"),
      upstreamOf: through(company.port),
    });
    const refused = await world.run([...curl, "http://other.example.test/"]);
    assert.match(refused.stdout, /other\.example\.test:80 is refused by the user/);
    assert.match((await world.run([...curl, `http://${name}/`])).stdout, /leads to 169\.254\.169\.254/);
    assert.deepEqual(company.opened, []);
  });

  it("goes around it to what NO_PROXY names, and to this machine", async () => {
    await using server = await httpServer((_request, response) => void response.end("direct"));
    await using company = await companyProxy(server.port);
    await using world = new SandboxWorld({
      rules: [hostRule("allow", `${name}:${server.port}`), hostRule("allow", `127.0.0.1:${server.port}`)],
      names: { [name]: ["127.0.0.1"] },
      upstreamOf: through(company.port, undefined, ".example.test"),
    });
    for (const host of [name, "127.0.0.1"]) {
      const address = `http://${host}:${server.port}/`;
      assert.equal((await world.run([...curl, "--noproxy", "", address])).stdout, "direct");
    }
    assert.deepEqual(company.opened, []);
  });

  it("tells the program what is wrong with the proxy, and nothing of its address and password", async () => {
    await using company = await companyProxy(1);
    const reasons = [
      [through(company.port, "someone:other-secret"), /the user's proxy answered 407/],
      [through(1, "someone:other-secret"), /the user's proxy cannot be reached \(ECONNREFUSED\)/],
      [() => new URL("not an address, but other-secret"), /isn't a valid proxy address/],
    ] as const;
    for (const [upstreamOf, reason] of reasons) {
      await using world = new SandboxWorld({ rules: [hostRule("allow", `${name}:80`)], upstreamOf });
      const { stdout, stderr } = await world.run([...curl, `http://${name}/`]);
      const tunnelled = await world.run([...curl, "--proxytunnel", `http://${name}/`]);
      const all = [stdout, stderr, tunnelled.stdout, tunnelled.stderr, ...world.recorded].join("\n");
      assert.match(tunnelled.stderr, /HTTP\/1\.1 502/);
      assert.match(all, reason);
      assert.doesNotMatch(all, new RegExp(`other-secret|127\\.0\\.0\\.1:(?:1|${company.port})\\b`));
    }
  });
});
