import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import type { HostAddress } from "../../../../src/sessions/host/node/host-address.js";
import { askHost, withHost } from "../../../../src/sessions/host/node/host-connection.js";
import { HostServer } from "../../../../src/sessions/host/node/host-server.js";
import { HostStage } from "../host-stage.js";

const start = { kind: "client", words: ["run"], cwd: "/w", env: {} };

describe("the socket of the host", () => {
  let address: HostAddress;
  let stage: HostStage;
  let stops = 0;
  let sockets: Socket[] = [];
  let servers: HostServer[] = [];
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "symposium-host-"));
    const socket = process.platform === "win32" ? `\\\\.\\pipe\\symposium-test-${process.pid}` : join(folder, "s.sock");
    address = { socket, lock: join(folder, "lock"), token: "the token", folder, logFile: join(folder, "log") };
    stage = new HostStage();
    [stops, sockets, servers] = [0, [], []];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) await server[Symbol.asyncDispose]();
    await rm(address.folder, { recursive: true, force: true });
  });

  async function listen(maxWaiting?: number): Promise<HostServer> {
    const server = new HostServer({
      host: stage.host,
      address,
      maxLineBytes: 64 * 1024 * 1024,
      maxWaiting,
      logger: Logger.silent,
      status: () => `{"sessions":[]}`,
      onStop: () => stops++,
    });
    assert.equal(await server.listen(), true);
    servers.push(server);
    return server;
  }

  async function open(hello: unknown): Promise<Socket> {
    const socket = connect(address.socket);
    sockets.push(socket);
    await once(socket, "connect");
    socket.on("error", () => undefined);
    socket.write(`${JSON.stringify(hello)}\n`);
    return socket;
  }

  /** Everything that the socket gets until its end. */
  async function textOf(socket: Socket): Promise<string> {
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await once(socket, "close");
    return text;
  }

  it("says nothing to who does not know the token, and ends the connection", async () => {
    await listen();
    const wrong = [{ ...start, token: "another" }, { ...start, token: "" }, { kind: "status" }, "no object", 1];
    for (const hello of wrong) assert.equal(await textOf(await open(hello)), "");
    assert.equal(stage.host.clientCount, 0);
  });

  it("answers questions about the host, and is told to stop", async () => {
    await listen();
    assert.deepEqual(
      [(await askHost(address, "status"))?.trim(), stops, (await askHost(address, "stop"))?.trim(), stops],
      [`{"sessions":[]}`, 0, `{"sessions":[]}`, 1],
    );
  });

  it("is listened at by one host", async () => {
    await listen();
    const other = new HostServer({
      host: stage.host,
      address,
      maxLineBytes: 1024,
      logger: Logger.silent,
      status: () => "{}",
      onStop: () => undefined,
    });
    assert.equal(await other.listen(), false);
  });

  it("ends a client that reads too slowly, and delays no other", async () => {
    await listen(64 * 1024);
    const hello = { ...start, token: address.token };
    const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    const load = { jsonrpc: "2.0", id: 2, method: "session/load", params: { sessionId: "s1", cwd: "/w" } };
    const slow = await open(hello);
    slow.pause();
    const fast = await open(hello);
    let seen = 0;
    const isSeen = new Promise<void>((resolve) => {
      fast.setEncoding("utf8").on("data", (chunk: string) => {
        seen += chunk.split('"agent_message_chunk"').length - 1;
        if (seen === 2_000) resolve();
      });
    });
    for (const socket of [fast, slow]) for (const line of [initialize, load]) socket.write(`${JSON.stringify(line)}\n`);
    while (!stage.conductors[0] || [...stage.host.sessions()].length === 0) await turn();
    while (stage.conductor.peer.methods.length < 2) await turn();
    await turn();
    for (let count = 0; count < 2_000; count++) {
      stage.conductor.say("x".repeat(2_000));
      if (count % 10 === 0) await turn();
    }
    await isSeen;
    while (stage.host.clientCount > 1) await turn();
    assert.equal(stage.host.clientCount, 1);
  });

  it("starts a host until one answers, and says why none does", async () => {
    let starts = 0;
    await assert.rejects(
      withHost(
        address,
        () => Promise.resolve(`attempt ${++starts}`),
        () => Promise.resolve(undefined),
      ),
      { message: "The host couldn't start: attempt 4." },
    );
    const used = await withHost(
      address,
      async () => {
        await listen();
        return "ready";
      },
      () => Promise.resolve("used"),
    );
    assert.equal(used, "used");
  });
});

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
