import assert from "node:assert/strict";
import { hostRule, httpServer, needsNamespaces, rawServer, SandboxWorld, sending } from "./sandbox-network-fixture.js";

const name = "api.example.test";
const names = { [name]: ["127.0.0.1"] };
const reaching = (port: number): readonly ReturnType<typeof hostRule>[] => [
  hostRule("allow", `${name}:${port}`, `127.0.0.1:${port}`),
];
const curl = ["curl", "-sS", "--max-time", "20"];

/** A server that answers each request on a connection by 200, whatever it offers, and keeps the first lines and hosts. */
async function plainServer(): Promise<{ readonly port: number; readonly seen: string[] } & AsyncDisposable> {
  const seen: string[] = [];
  const server = await httpServer((request, response) => {
    seen.push(`${request.method ?? ""} ${request.headers.host ?? ""} ${request.headers.upgrade ?? ""}`.trim());
    response.end("ok");
  });
  return { ...server, seen, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe("a request that a sandbox makes of a proxy's server", function () {
  this.timeout(60_000);
  before(function () {
    needsNamespaces(this);
  });

  for (const protocol of ["websocket", "h2c"]) {
    it(`is the last one where it offers another protocol that the server does not take: ${protocol}`, async () => {
      await using server = await plainServer();
      await using world = new SandboxWorld({ rules: reaching(server.port), names });
      const place = `${name}:${server.port}`;
      const offer = `Host: ${place}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
      const other = "GET /other HTTP/1.1\r\nHost: evil.test\r\n\r\n";
      for (const start of [
        `GET http://${place}/ HTTP/1.1\r\n${offer}${other}`,
        `CONNECT ${place} HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n${offer}${other}`,
      ]) {
        const { stdout } = await world.run(sending(start));
        assert.match(stdout, /HTTP\/1\.1 200 OK\r\n(?!Connection Est)[^]*ok$/);
        assert.equal(stdout.match(/\r\nConnection: close\r\n/gi)?.length, 1, stdout);
      }
      const seen = `GET ${place}${protocol === "websocket" ? " websocket" : ""}`;
      assert.deepEqual(server.seen, [seen, seen]);
    });
  }

  it("has no body where it offers another protocol", async () => {
    await using server = await plainServer();
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const place = `${name}:${server.port}`;
    const body = "1\r\nx\r\n0\r\n\r\nGET /other HTTP/1.1\r\nHost: evil.test\r\n\r\n";
    const head = `POST http://${place}/ HTTP/1.1\r\nHost: ${place}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n`;
    assert.match((await world.run(sending(head + body))).stdout, /^HTTP\/1\.1 400 /);
    assert.deepEqual(server.seen, []);
  });

  it("is looked at behind empty lines, too, and with a method that nobody knows", async () => {
    await using server = await plainServer();
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const place = `${name}:${server.port}`;
    for (const start of ["\r\nGET", "\n\n GET", "X-1.get", "A".repeat(40)]) {
      const { stdout } = await world.run(
        sending(`CONNECT ${place} HTTP/1.1\r\n\r\n${start} / HTTP/1.1\r\nHost: evil.test\r\n\r\n`),
      );
      assert.match(stdout, /^HTTP\/1\.1 200 Connection Established\r\n\r\n(?:HTTP\/1\.1 400 |$)/, start);
    }
    assert.deepEqual(server.seen, []);
  });

  it("ends alone where the server's answer is none of HTTP", async () => {
    let line = "";
    await using server = await rawServer((socket) => {
      socket.once("data", () => socket.end(`${line}\r\nContent-Length: 0\r\n\r\n`));
    });
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    for (line of ["HTTP/1.1 099 Odd", "HTTP/1.1 200 \u0001", "HTTP/1.1 101 Switched", "nothing"]) {
      const { code, stdout } = await world.run([...curl, `http://${name}:${server.port}/`]);
      assert.ok(code !== 0 || /cannot be reached/.test(stdout), `${line}: ${code ?? ""} ${stdout}`);
      assert.notEqual(code, 28, `${line} is waited for`);
    }
    line = "HTTP/1.1 204 Well";
    assert.equal((await world.run([...curl, `http://${name}:${server.port}/`])).code, 0);
  });

  it("is not one of hundreds that wait on one connection", async () => {
    await using world = new SandboxWorld({ holdMs: 120_000, answer: () => new Promise(() => undefined) });
    const request = "GET http://asked.test/ HTTP/1.1\r\nHost: asked.test\r\n\r\n";
    assert.equal((await world.run(sending(request.repeat(200)))).stdout, "");
    assert.deepEqual(world.asked, ["asked.test:80"]);
  });

  it("reaches a port of this machine that a rule names as long as no rule says otherwise", async () => {
    await using server = await httpServer((_request, response) => void response.end("reached"));
    const [allowed, denied] = [hostRule("allow", `localhost:${server.port}`), hostRule("deny", "127.0.0.1")];
    const ask = hostRule("ask", `localhost:${server.port}`);
    const cases = [
      { rules: [allowed], code: 0, recorded: [`allow 127.0.0.1:${server.port}`] },
      { rules: [allowed, denied], code: 52, recorded: [`deny 127.0.0.1:${server.port}`] },
      { rules: [], code: 52, recorded: [`deny 127.0.0.1:${server.port}`] },
      { rules: [allowed, ask], code: 52, recorded: [`deny 127.0.0.1:${server.port}`] },
    ];
    for (const { rules, ...expected } of cases) {
      await using world = new SandboxWorld({
        ruledPorts: [server.port],
        rules,
        answer: () => Promise.resolve("no" as const),
      });
      const { code } = await world.run([...curl, `http://127.0.0.1:${server.port}/`]);
      // curl's 52 and 56: the connection is closed before, or while, it waits.
      assert.deepEqual({ code: code === 56 ? 52 : code, recorded: world.recorded }, expected);
    }
  });
});
