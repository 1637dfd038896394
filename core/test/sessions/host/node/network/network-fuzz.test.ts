import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { WebSocket } from "ws";
import { authorized, NetworkStage } from "./network-stage.js";

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`;
const maxMessageBytes = 64 * 1024;

describe("the host's listener, among clients that break its rules", function () {
  this.timeout(60_000);
  let stage: NetworkStage;
  beforeEach(async () => (stage = await NetworkStage.open({ maxMessageBytes })));
  afterEach(async () => {
    // It still serves a client that keeps the rules.
    assert.equal((await stage.post(initialize)).status, 200);
    await stage[Symbol.asyncDispose]();
  });

  async function openSocket(): Promise<WebSocket> {
    const socket = new WebSocket(stage.url, { headers: authorized });
    socket.on("error", () => undefined);
    await once(socket, "open");
    return socket;
  }

  async function closeCode(send: (socket: WebSocket) => void): Promise<unknown> {
    const socket = await openSocket();
    const closed = once(socket, "close");
    send(socket);
    return (await closed)[0];
  }

  it("closes a WebSocket with a frame that is too large, binary or malformed", async () => {
    const raw = (bytes: readonly number[]) => (socket: WebSocket) =>
      (socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket.write(Buffer.from(bytes));
    const codes = [
      await closeCode((socket) => socket.send("x".repeat(maxMessageBytes + 1))),
      await closeCode((socket) => socket.send(Buffer.from("binary"))),
      await closeCode(raw([0xf1, 0x80, 0, 0, 0, 0])),
      await closeCode(raw([0x81, 0x01, 0x61])),
      await closeCode(raw([0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])),
      await closeCode(raw([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])),
    ];
    assert.deepEqual(codes, [1009, 1003, 1002, 1002, 1009, 1007]);
    await stage.hasClients(0);
  });

  it("answers garbage in a text frame with an error, and goes on", async () => {
    const socket = await openSocket();
    const answers: unknown[] = [];
    socket.on("message", (data: Buffer) => answers.push(JSON.parse(data.toString())));
    for (const text of ["{", "[]", "\0", `{"jsonrpc":"2.0","id":1}`, initialize]) socket.send(text);
    const isAnswer = (answer: unknown): boolean => JSON.stringify(answer).includes(`"id":0,"result"`);
    while (!answers.some(isAnswer)) await pass();
    assert.ok(answers.length > 1, JSON.stringify(answers));
    socket.terminate();
  });

  it("refuses 200 wrong tokens and connects at most 32 of 200 clients", async () => {
    const guesses = Array.from({ length: 200 }, () =>
      stage.post(initialize, { Authorization: `Bearer ${randomBytes(32).toString("hex")}` }),
    );
    assert.deepEqual(new Set((await Promise.all(guesses)).map(({ status }) => status)), new Set([401]));
    assert.equal(stage.host.host.clientCount, 0);
    const sockets = Array.from({ length: 100 }, () => new WebSocket(stage.url, { headers: authorized }));
    const opened = sockets.map(
      (socket) =>
        new Promise<number>((resolve) => {
          socket.on("error", () => resolve(503)).on("open", () => resolve(101));
        }),
    );
    const posted = Array.from({ length: 100 }, async () => (await stage.post(initialize)).status);
    const statuses = await Promise.all([...opened, ...posted]);
    const count = (status: number): number => statuses.filter((one) => one === status).length;
    assert.deepEqual([count(101) + count(200), count(503)], [32, 168]);
    assert.equal(stage.host.host.clientCount, 32);
    for (const socket of sockets) socket.terminate();
    // Closes the HTTP clients, which the listener would disconnect only after a minute.
    await stage[Symbol.asyncDispose]();
    stage = await NetworkStage.open({ maxMessageBytes });
  });

  it("keeps the memory bounded while 200 connections send large bodies without a token", async () => {
    const before = process.memoryUsage().rss;
    const head = `POST /acp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n`;
    const chunk = "x".repeat(256 * 1024);
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(stage.port, "127.0.0.1");
        socket.on("error", () => undefined);
        socket.write(head);
        for (let count = 0; count < 4; count++) socket.write(chunk);
        socket.resume();
        await once(socket, "close");
      }),
    );
    const grownMiB = (process.memoryUsage().rss - before) / 1024 / 1024;
    assert.ok(grownMiB < 300, `${Math.round(grownMiB)} MiB`);
    assert.equal(stage.host.host.clientCount, 0);
  });
});

function pass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
