import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { proxyFor } from "../../../src/base/node/proxied-fetch.js";
import { tunnelledFetch } from "../../../src/base/node/tunnelled-fetch.js";
import { testCertificate, testKey } from "./tls-certificate.js";

const run = promisify(execFile);
const module = new URL("../../../src/base/node/tunnelled-fetch.js", import.meta.url).href;

/** Request as the target received it. */
interface Echo {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const answers: Readonly<Record<string, RequestListener>> = {
  "/gzip": (_request, response) => response.setHeader("content-encoding", "gzip").end(gzipSync("the text")),
  "/deflate": (_request, response) => response.setHeader("content-encoding", "deflate").end(deflateSync("the text")),
  "/br": (_request, response) => response.setHeader("content-encoding", "br").end(brotliCompressSync("the text")),
  "/twice": (_request, response) =>
    response.setHeader("content-encoding", "gzip, br").end(brotliCompressSync(gzipSync("the text"))),
  "/nothing": (_request, response) => response.writeHead(204, { "set-cookie": ["a=1", "b=2"] }).end(),
  "/see-other": (_request, response) => response.writeHead(303, { location: "/echo" }).end(),
  "/moved": (_request, response) => response.writeHead(307, { location: "/echo" }).end(),
  "/away": (_request, response) => response.writeHead(302, { location: "http://other.example/echo" }).end(),
  "/home": ({ socket }, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${socket.localPort}/echo` }).end(),
  "/circle": (_request, response) => response.writeHead(302, { location: "/circle" }).end(),
  "/data": (_request, response) => response.writeHead(302, { location: "data:text/plain,x" }).end(),
  "/file": (_request, response) => response.writeHead(302, { location: "ftp://target.example/x" }).end(),
  "/packed": (_request, response) => response.setHeader("content-encoding", "gzip,".repeat(6)).end("x"),
  "/odd": (_request, response) => response.writeHead(700).end("x"),
  "/silent": () => undefined,
  "/endless": (_request, response) => response.write("the beginning"),
  "/cut": (_request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("the beginning", () => response.destroy());
  },
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const known = answers[request.url ?? ""];
  if (known) {
    known(request, response);
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { method, url: path, headers } = request;
  response.end(JSON.stringify({ method, path, headers, body: Buffer.concat(pieces).toString() }));
}

describe("fetching through a tunnel", function () {
  this.timeout(120_000);

  const open: Server[] = [];
  const sockets = new Set<Socket>();
  let targetPort = 0;
  let tlsTargetPort = 0;
  /** Requested tunnels, each with its `proxy-authorization` header if it has one. */
  const tunnels: string[] = [];

  async function portOf(server: Server): Promise<number> {
    server.on("connection", (socket: Socket) => sockets.add(socket));
    open.push(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  }

  /** Every name leads to this machine. */
  function tunnel(client: Socket, port: number, ready: () => void): void {
    const upstream = connect(port, "127.0.0.1", () => {
      ready();
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  }

  function onConnect(request: IncomingMessage, client: Socket): void {
    tunnels.push([request.url, request.headers["proxy-authorization"]].join(" ").trim());
    if (request.url?.startsWith("forbidden.") === true) {
      client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const port = Number(request.url?.split(":")[1]);
    tunnel(client, port === 80 ? targetPort : port, () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
  }

  /** A SOCKS 5 server that wants `secret` as password where a user is named. */
  async function onSocks(client: Socket): Promise<void> {
    client.on("error", () => client.destroy());
    const next = async (): Promise<Buffer> => ((await once(client, "data")) as [Buffer])[0];
    const hasUser = (await next()).includes(2, 2);
    client.write(Buffer.from([5, hasUser ? 2 : 0]));
    if (hasUser) client.write(Buffer.from([1, (await next()).toString().endsWith("secret") ? 0 : 1]));
    const wanted = await next();
    const [host, port] = [wanted.subarray(5, -2).toString(), wanted.readUInt16BE(wanted.length - 2)];
    tunnels.push(`socks ${host}:${port}`);
    if (host.startsWith("forbidden.")) client.write(Buffer.from([5, 2, 0, 1, 0, 0, 0, 0, 0, 0]));
    else tunnel(client, port, () => client.write(Buffer.from([5, 0, 0, 3, 4, 104, 111, 115, 116, 0, 80])));
  }

  let proxy = new URL("http://unset.example");
  let tlsProxy = new URL("https://unset.example");
  let socks = new URL("socks5://unset.example");
  before(async () => {
    targetPort = await portOf(createServer((request, response) => void answer(request, response)));
    const tls = { key: testKey, cert: testCertificate };
    tlsTargetPort = await portOf(createTlsServer(tls, (request, response) => void answer(request, response)));
    proxy = new URL(`http://127.0.0.1:${await portOf(createServer().on("connect", onConnect))}`);
    tlsProxy = new URL(`https://127.0.0.1:${await portOf(createTlsServer(tls).on("connect", onConnect))}`);
    socks = new URL(`socks5://127.0.0.1:${await portOf(createTcpServer((client) => void onSocks(client)))}`);
  });
  beforeEach(() => tunnels.splice(0));
  after(() => {
    for (const socket of sockets) socket.destroy();
    for (const server of open) server.close();
  });

  const fetched = (path: string, init: RequestInit = {}, through = proxy): Promise<Response> =>
    tunnelledFetch(new Request(`http://target.example:${targetPort}${path}`, init), () => through);
  const echoed = async (...words: Parameters<typeof fetched>): Promise<Echo> =>
    (await (await fetched(...words)).json()) as Echo;

  it("sends the method, headers and body, with the type and length of the body", async () => {
    const { method, path, headers, body } = await echoed("/a?b=c", {
      method: "PUT",
      headers: { "X-Key": "1" },
      body: "é",
    });
    assert.deepEqual({ method, path, body }, { method: "PUT", path: "/a?b=c", body: "é" });
    assert.deepEqual(
      ["host", "x-key", "content-type", "content-length", "accept"].map((name) => headers[name]),
      [`target.example:${targetPort}`, "1", "text/plain;charset=UTF-8", "2", "*/*"],
    );
  });

  for (const path of ["/gzip", "/deflate", "/br", "/twice"]) {
    it(`unpacks what comes packed: ${path.slice(1)}`, async () => {
      assert.equal(await (await fetched(path)).text(), "the text");
    });
  }

  it("has all headers of an answer without a body, one that is repeated, too", async () => {
    const response = await fetched("/nothing");
    assert.deepEqual([response.status, response.statusText, response.body], [204, "No Content", null]);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.equal((await fetched("/echo", { method: "HEAD" })).body, null);
  });

  it("keeps a connection for the next request", async () => {
    await (await fetched("/one")).text();
    const before = tunnels.length;
    await (await fetched("/two")).text();
    assert.equal(tunnels.length, before);
  });

  it("follows redirects as the platform does", async () => {
    const post = { method: "POST", body: "the text", headers: { authorization: "secret" } };
    const [seen, moved] = [await echoed("/see-other", post), await echoed("/moved", post)];
    assert.deepEqual([seen.method, seen.body, seen.headers["content-type"]], ["GET", "", undefined]);
    assert.deepEqual([moved.method, moved.body, moved.headers["authorization"]], ["POST", "the text", "secret"]);
    const away = await fetched("/away", { headers: { authorization: "secret", "x-key": "1" } });
    const { headers } = (await away.json()) as Echo;
    assert.deepEqual([headers["host"], headers["authorization"], headers["x-key"]], ["other.example", undefined, "1"]);
    assert.deepEqual([away.url, away.redirected], ["http://other.example/echo", true]);
    const manual = await fetched("/moved", { redirect: "manual" });
    assert.deepEqual([manual.status, manual.headers.get("location"), manual.redirected], [307, "/echo", false]);
    await assert.rejects(fetched("/moved", { redirect: "error" }), causedBy(/^it redirects to \/echo$/));
    await assert.rejects(fetched("/circle"), causedBy(/more than 20 times/));
    await assert.rejects(fetched("/data"), causedBy(/^it redirects to data:text\/plain,x$/));
    await assert.rejects(fetched("/file"), causedBy(/^it redirects to ftp:/));
  });

  it("goes without the proxy where a redirect leads to what is not behind it", async () => {
    const request = new Request(`http://target.example:${targetPort}/home`, { method: "POST", body: "the text" });
    const response = await tunnelledFetch(request, (url) => (url.hostname === "127.0.0.1" ? undefined : proxy));
    assert.deepEqual(
      [((await response.json()) as Echo).body, new URL(response.url).hostname],
      ["the text", "127.0.0.1"],
    );
    assert.ok(tunnels.every((one) => one.startsWith("target.example")));
  });

  it("ends with the reason of its signal, before and in the middle of an answer", async () => {
    const reason = new Error("enough");
    await assert.rejects(fetched("/echo", { signal: AbortSignal.abort(reason) }), reason);
    const controller = new AbortController();
    const response = await fetched("/endless", { signal: controller.signal });
    const reader = response.body?.getReader();
    assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "the beginning");
    const rest = reader?.read();
    controller.abort(reason);
    await assert.rejects(rest ?? Promise.resolve(), reason);
  });

  it("fails where nothing comes any more, before an answer and within one", async () => {
    const silent = (path: string): Promise<Response> =>
      tunnelledFetch(new Request(`http://target.example:${targetPort}${path}`), () => proxy, { silenceMs: 200 });
    await assert.rejects(silent("/silent"), causedBy(/^target\.example:\d+ sent no data for 0\.2 s$/));
    await assert.rejects((await silent("/endless")).text(), /sent no data for 0\.2 s/);
  });

  it("fails on answers that the platform has no form for", async () => {
    await assert.rejects(fetched("/packed"), causedBy(/^its content is compressed 7 times$/));
    await assert.rejects(fetched("/odd"), causedBy(/status/));
  });

  it("fails when an answer is cut, and says why a tunnel is refused", async () => {
    await assert.rejects((await fetched("/cut")).text());
    const refused = tunnelledFetch(new Request("http://forbidden.example"), () => proxy);
    await assert.rejects(refused, causedBy(new RegExp(`^the proxy ${proxy.host} answered 403$`)));
    const nobody = new URL("http://127.0.0.1:1");
    await assert.rejects(
      tunnelledFetch(new Request("http://target.example"), () => nobody),
      causedBy(/ECONNREFUSED/),
    );
  });

  it("tells the proxy who asks, by both protocols", async () => {
    const known = new URL(proxy);
    [known.username, known.password] = ["a user", "pass:word"];
    await (await fetched("/echo", {}, known)).text();
    assert.deepEqual(tunnels, [`target.example:${targetPort} Basic ${btoa("a user:pass:word")}`]);
    const [right, wrong] = [new URL(socks), new URL(socks)];
    [right.username, right.password] = ["me", "secret"];
    [wrong.username, wrong.password] = ["me", "guess"];
    assert.equal((await echoed("/echo", {}, right)).path, "/echo");
    await assert.rejects(fetched("/echo", {}, wrong), causedBy(/does not accept its user and password/));
  });

  it("goes through a SOCKS proxy, which looks up the name", async () => {
    assert.equal((await echoed("/echo", {}, socks)).path, "/echo");
    assert.deepEqual(tunnels, [`socks target.example:${targetPort}`]);
    const long = new URL(socks);
    [long.username, long.password] = ["me", "x".repeat(256)];
    await assert.rejects(fetched("/echo", {}, long), causedBy(/at most 255 bytes/));
    const refused = tunnelledFetch(new Request("http://forbidden.example"), () => socks);
    await assert.rejects(refused, causedBy(/cannot reach forbidden\.example:80 \(SOCKS reply 2\)/));
  });

  for (const kind of ["http", "https", "socks5"] as const) {
    it(`checks the certificate of the server behind a proxy: ${kind}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "symposium-tls-"));
      try {
        await writeFile(join(folder, "ca.pem"), testCertificate);
        const through = { http: proxy, https: tlsProxy, socks5: socks }[kind];
        const script = `const { tunnelledFetch } = await import(${JSON.stringify(module)});
          const get = (host) => tunnelledFetch(new Request(\`https://\${host}:${tlsTargetPort}/echo\`), () => new URL("${through.href}"))
            .then((response) => response.json(), (error) => error.cause.code);
          console.log(JSON.stringify([await get("target.example"), await get("other.example")]));
          process.exit(0);`;
        const env = { NODE_EXTRA_CA_CERTS: join(folder, "ca.pem") };
        const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { env });
        const [right, wrong] = JSON.parse(stdout) as [Echo, string];
        assert.deepEqual([right.path, wrong], ["/echo", "ERR_TLS_CERT_ALTNAME_INVALID"]);
        const untrusted = new Request(`https://target.example:${tlsTargetPort}/echo`);
        await assert.rejects(
          tunnelledFetch(untrusted, () => through),
          causedBy(/self-signed certificate/),
        );
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});

describe("the proxy of an address", () => {
  const of = (url: string, env: Record<string, string>): string | undefined => proxyFor(new URL(url), env)?.href;
  const both = { HTTP_PROXY: "http://plain.example:1", HTTPS_PROXY: "secure.example:2" };

  it("is that of its protocol, or that for http where https has none", () => {
    assert.equal(of("http://a.example", both), "http://plain.example:1/");
    assert.equal(of("https://a.example", both), "http://secure.example:2/");
    assert.equal(of("https://a.example", { http_proxy: "http://plain.example:1" }), "http://plain.example:1/");
    assert.equal(of("http://a.example", { HTTPS_PROXY: "http://secure.example:2" }), undefined);
    assert.equal(
      of("http://a.example", { HTTP_PROXY: "http://up.example", http_proxy: "http://low.example" }),
      "http://low.example/",
    );
  });

  it("is none for what NO_PROXY names: hosts, what is below them, and ports", () => {
    const isDirect = (url: string, NO_PROXY: string): boolean => of(url, { ...both, NO_PROXY }) === undefined;
    const rows: [string, string][] = [
      ["http://a.example", "a.example"],
      ["http://b.a.example", "x, a.example"],
      ["http://b.a.example", ".a.example"],
      ["http://b.a.example", "*.a.example"],
      ["http://A.example", "a.EXAMPLE"],
      ["https://a.example", "a.example:443"],
      ["http://a.example:8080", "x a.example:8080"],
      ["http://a.example", "*"],
      ["http://[::2]/", "[::2]"],
    ];
    for (const [url, value] of rows) assert.ok(isDirect(url, value), `${url} ${value}`);
    const others: [string, string][] = [
      ["http://ba.example", "a.example"],
      ["http://a.example", "b.a.example"],
      ["http://a.example:8080", "a.example:80"],
      ["http://a.example", ""],
      ["http://a.example", ","],
    ];
    for (const [url, value] of others) assert.ok(!isDirect(url, value), `${url} ${value}`);
  });

  it("is none for this very machine", () => {
    for (const host of ["localhost", "a.localhost", "127.1.2.3", "[::1]"])
      assert.equal(of(`http://${host}`, both), undefined);
  });
});

function causedBy(pattern: RegExp): (thrown: unknown) => boolean {
  return (thrown) => {
    assert.ok(thrown instanceof TypeError && thrown.cause instanceof Error, String(thrown));
    assert.match(thrown.cause.message, pattern);
    return true;
  };
}
