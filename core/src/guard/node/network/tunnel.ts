import type { Duplex } from "node:stream";
import { readFirstBytes } from "../../network/tls-hello.js";
import { readTarget, type Target } from "../../network/target.js";
import { pour } from "./reused-buffer-socket.js";

/** What is done with a connection once its first bytes are known. */
type FirstWord = "pass" | "http" | { readonly refusal: string };

/** Joins two connections until both sides have ended. */
export function join(client: Duplex, server: Duplex): void {
  if (client.destroyed || server.destroyed) {
    // Its end was heard of by nobody.
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
      // What it has sent may still be on the way.
      if (!to.writableEnded) to.end();
      if (!from.readableEnded) to.destroy();
    });
  }
}

/**
 * Waits for the first bytes of a program that was let through to `target`, and says what they are: TLS for that very name, plain
 * HTTP, whose requests are to be looked at, or something else. They stay to be read. Where the server speaks first, it is something else.
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
      settle(isCut ? { refusal: "it ends within its first bytes" } : "pass");
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

/** Servers of many names answer by the one in the hello, whatever the connection was opened for. */
function refusalOfName(name: string | undefined, target: Target): FirstWord {
  if (name === undefined) return target.address ? "pass" : { refusal: "its hello of TLS has no name of a server" };
  const isSame = readTarget(name, target.port)?.host === target.host;
  return isSame ? "pass" : { refusal: "its hello of TLS has the name of another server" };
}
