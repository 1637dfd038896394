import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type AddressInfo } from "node:net";
import { ideOperationMethod, type IdeOperations, Logger } from "@symposium-dev/core";
import { type Exchange, resetAtEveryStep } from "@symposium-dev/core/testing/node";
import { AdapterServer } from "../../src/server.js";
import { AdapterConnection } from "../../src/sharing/adapter-connection.js";
import { proveMethod } from "../../src/sharing/handshake.js";

const meeting = { token: "a".repeat(64), socket: "here" };
const lost: IdeOperations = {
  supported: new Set(["status"]),
  run: (_name, _params, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("lost")))),
};

function frame(message: object): string {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  return `Content-Length: ${body.length}\r\n\r\n${body}`;
}

describe("the adapter's listener", () => {
  it("goes on when its clients reset their connections at every step", async function () {
    this.timeout(60_000);
    using server = new AdapterServer({ meeting, open: () => lost, onEmpty: () => undefined, logger: Logger.silent });
    // By a socket of the network, as only these can be reset.
    await once(server.net.listen(0, "127.0.0.1"), "listening");
    const { port } = server.net.address() as AddressInfo;
    const prove = frame({ id: 1, method: proveMethod, params: { challenge: "0" } });
    const exchanges: Readonly<Record<string, Exchange>> = {
      "no frames": { sent: "GET / HTTP/1.1\r\n\r\n{}\n", isAnswered: false },
      "a proof": { sent: prove, isAnswered: true },
      "a guess": {
        sent:
          prove +
          frame({ id: 2, method: "initialize", params: { capabilities: {}, initializationOptions: { proof: "0" } } }),
        isAnswered: true,
      },
      "a question before an introduction": {
        sent: frame({ id: 1, method: ideOperationMethod("status") }),
        isAnswered: true,
      },
      "a frame that is no JSON": { sent: "Content-Length: 4\r\n\r\nabcd", isAnswered: false },
    };
    for (const [name, exchange] of Object.entries(exchanges)) {
      assert.ok((await resetAtEveryStep(port, exchange)) > 3, name);
    }
    for (let left = 0; left < 3; left++) {
      const socket = connect(port, "127.0.0.1");
      await once(socket, "connect");
      using connection = new AdapterConnection(socket);
      await connection.introduce(meeting);
      const asked = connection.request(ideOperationMethod("status"), {}, new AbortController().signal);
      socket.resetAndDestroy();
      await assert.rejects(asked);
    }
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    using connection = new AdapterConnection(socket);
    await connection.introduce(meeting);
    assert.equal(server.hasClients, true);
  });
});
