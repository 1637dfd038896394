import { hostAddress } from "../../sessions/host/node/host-address.js";
import { passToHost } from "../../sessions/host/node/thin-client.js";

/** Forwards messages between the editor and the host, which runs the conductor for `words`. Resolves with the exit code. */
export async function throughHost(words: readonly string[]): Promise<number> {
  const address = await hostAddress();
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const hello = { kind: "client", token: address.token, words, cwd: process.cwd(), env } as const;
  // Load the code that starts a host only on demand, since the host is usually already running.
  return passToHost(address, hello, async () =>
    (await import("../../sessions/host/node/start-host.js")).startHost(address),
  );
}
