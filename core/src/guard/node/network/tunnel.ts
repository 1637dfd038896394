import type { Duplex } from "node:stream";
import { readFirstBytes } from "../../network/tls-hello.js";
import { readTarget, type Target } from "../../network/target.js";
import { pour } from "./reused-buffer-socket.js";

/** Action for a connection after its first bytes. */
type FirstWord = "pass" | "http" | { readonly refusal: string };

/** Pipes two connections into each other until both end. */
export function join(client: Duplex, server: Duplex): void {
  if (client.destroyed || server.destroyed) {
    // The streams ended before listeners could be added.
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
      // End the other connection instead of destroying it, since bytes that were sent may still be in transit.
      if (!to.writableEnded) to.end();
      if (!from.readableEnded) to.destroy();
    });
  }
}

/**
 * Classifies the first bytes from a program that may connect to `target`: `pass`, `http` (requests must be checked), or a refusal, for
 * example if a TLS hello names another server. Doesn't consume the bytes; returns `pass` if the server speaks first.
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

/**
 * Returns `pass`, or a refusal if the name in a TLS hello differs from the target. Servers with several names answer according to this
 * name, regardless of the host that the connection was made for.
 */
function refusalOfName(name: string | undefined, target: Target): FirstWord {
  if (name === undefined) return target.address ? "pass" : { refusal: "its TLS hello has no server name" };
  const isSame = readTarget(name, target.port)?.host === target.host;
  return isSame ? "pass" : { refusal: "its TLS hello names another server" };
}
