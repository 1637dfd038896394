import { bridgeToHost } from "../../../sessions/host/node/bridge-from-other-machine.js";
import { hostAddress } from "../../../sessions/host/node/host-address.js";

/** Connects a client on another machine with the host here. */
export async function serveStdio(): Promise<number> {
  const address = await hostAddress();
  // Load the code that starts a host only on demand, since the host is usually already running.
  return bridgeToHost(address, async () =>
    (await import("../../../sessions/host/node/start-host.js")).startHost(address),
  );
}
