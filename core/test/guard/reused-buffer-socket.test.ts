import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { Writable } from "node:stream";
import { connectWithBuffer, pour } from "../../src/guard/node/network/reused-buffer-socket.js";

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
const bytes = randomBytes(5 * 2 ** 20);

async function sender(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((socket) => socket.on("error", () => undefined).end(bytes));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, port: (server.address() as AddressInfo).port };
}

/** Keeps the very bytes that it is given until it has taken them, as the system does with what it cannot send yet. */
function slowReader(): { readonly to: Writable; readonly got: Buffer[]; readonly mostWaiting: () => number } {
  const got: Buffer[] = [];
  let most = 0;
  const to: Writable = new Writable({
    write(chunk: Buffer, _encoding, done) {
      most = Math.max(most, to.writableLength);
      void turn()
        .then(() => turn())
        .then(() => {
          got.push(Buffer.from(chunk));
          done();
        });
    },
  });
  return { to, got, mostWaiting: () => most };
}

describe("what is poured from a connection", function () {
  this.timeout(60_000);

  it("comes whole and in order, however slowly it is taken, and waits with the sender", async () => {
    const { server, port } = await sender();
    const from = connectWithBuffer({ port, host: "127.0.0.1" });
    const { to, got, mostWaiting } = slowReader();
    // Wait for first bytes: `pour` must also forward bytes that arrived before it was called.
    await once(from, "readable");
    pour(from, to);
    await once(to, "finish");
    assert.equal(digest(Buffer.concat(got)), digest(bytes));
    assert.ok(mostWaiting() <= 2 ** 19, `${mostWaiting()} bytes waited at once`);
    server.close();
  });

  it("is a stream like any other before that", async () => {
    const { server, port } = await sender();
    const from = connectWithBuffer({ port, host: "127.0.0.1" });
    const got: Buffer[] = [];
    for await (const chunk of from) {
      got.push(chunk as Buffer);
      await turn();
    }
    assert.equal(digest(Buffer.concat(got)), digest(bytes));
    server.close();
  });
});
