import type { Duplex } from "node:stream";
import { readFirstBytes } from "../../network/tls-hello.js";
import { readTarget, type Target } from "../../network/target.js";
import { pour } from "./reused-buffer-socket.js";

/** Action for a connection after its first bytes. */
type FirstWord = "pass" | "http" | { readonly refusal: string };

/** Pipes two connections into each other until both end. */
export function join(client: Duplex, server: Duplex): void {
  if (client.destroyed || server.destroyed) {
    // The end event came before any listener.
    client.destroy();
    server.destroy();
    return;
  }
  client.pipe(server);
  pour(server, client);
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => {
      // Bytes that it sent may still be in transit.
      if (!to.writableEnded) to.end();
      if (!from.readableEnded) to.destroy();
    });
  }
}

/**
 * Classifies the first bytes from a program allowed to connect to `target`: TLS for the target's name, plain HTTP with requests to check,
 * or other. The bytes remain readable. If the server speaks first, the protocol is other.
 */
export function firstWord(client: Duplex, server: Duplex, target: Target): Promise<FirstWord> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const settle = (word: FirstWord): void => {
      client.off("data", onData).off("end", onEnd).off("close", onEnd);
      server.off("readable", onServer).off("close", onServer);
      client.pause();
      if (bytes.length > 0) client.unshift(bytes);
      resolve(word);
    };
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const first = readFirstBytes(bytes);
      if (first.kind !== "incomplete") settle(wordOf(first, target));
    };
    const onEnd = (): void => {
      const isCut = bytes.length > 0;
      bytes = Buffer.alloc(0);
      settle(isCut ? { refusal: "it ended within its first bytes" } : "pass");
    };
    const onServer = (): void => {
      if (bytes.length === 0) settle("pass");
    };
    client.on("data", onData).on("end", onEnd).on("close", onEnd);
    server.once("readable", onServer).once("close", onServer);
  });
}

function wordOf(first: ReturnType<typeof readFirstBytes>, target: Target): FirstWord {
  switch (first.kind) {
    case "http":
      return "http";
    case "broken":
      return { refusal: `it sends ${first.reason}` };
    case "tls":
      return refusalOfName(first.serverName, target);
    case "other":
    case "incomplete":
      return "pass";
  }
}

/** Servers with several names answer by the name in the TLS hello, regardless of the connection's target. */
function refusalOfName(name: string | undefined, target: Target): FirstWord {
  if (name === undefined) return target.address ? "pass" : { refusal: "its TLS hello has no server name" };
  const isSame = readTarget(name, target.port)?.host === target.host;
  return isSame ? "pass" : { refusal: "its TLS hello names another server" };
}
