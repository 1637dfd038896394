import type { ChildProcess } from "node:child_process";
import { Server, type Socket } from "node:net";
import type { Logger } from "../../../base/logger.js";
import { Connections } from "../../../node/loopback-server.js";
import type { HostGate } from "../../network/host-gate.js";
import { HostProxy } from "./host-proxy.js";
import { launcherEnvironment, launcherWords } from "./launcher.js";
import { connectAlong, findWay, type Lookup, Refusal, systemLookup } from "./outgoing.js";
import { join } from "./tunnel.js";

/** The network of sandboxes that share rules and answers. Each is a namespace of its own, with nothing in it but loopback. */
export interface SandboxNetwork {
  /**
   * Words before the program inside of the sandbox: a launcher that listens on loopback, hands the listeners out by IPC, then becomes
   * the program (`process.execve` on Node 22.15 and newer, else it stays as the program's parent).
   */
  readonly launcher: readonly string[];
  /** Added to the program's environment, so that it uses the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Serves what the started child hands over; the child has an `ipc` slot in its stdio. */
  attach(child: ChildProcess): void;
  /** Ends all connections. */
  close(): Promise<void>;
}

interface SandboxNetworkOptions {
  readonly gate: HostGate;
  /** Ports of this machine's loopback that programs in the sandbox reach under the same numbers: services of our own. */
  readonly loopbackPorts: readonly number[];
  /** Others that a rule names. Each connection is put to the gate, since rules of that folder may say something else by then. */
  readonly ruledPorts?: readonly number[];
  readonly logger: Logger;
  /** The system's own by default. */
  readonly lookup?: Lookup;
  /** How long a connection waits for the user: npm, git and models try again, and cargo gives up after 30 s. Default 25 s. */
  readonly holdMs?: number;
}

const defaultHoldMs = 25_000;
/** Free in every sandbox, since its network is its own. */
const proxyPort = 3128;
const proxyAddress = `http://127.0.0.1:${proxyPort}`;
/** Programs talk to each other inside of the sandbox. */
const notProxied = "localhost,127.0.0.1,::1";

const environment: Readonly<Record<string, string>> = {
  ...launcherEnvironment,
  HTTP_PROXY: proxyAddress,
  HTTPS_PROXY: proxyAddress,
  http_proxy: proxyAddress,
  https_proxy: proxyAddress,
  NO_PROXY: notProxied,
  no_proxy: notProxied,
  // Node 22.21 and 24.5, and newer ones, obey the variables above then.
  NODE_USE_ENV_PROXY: "1",
};

/** Opens the network that sandboxes start with. Nothing listens on this machine: the listeners are inside of the sandboxes. */
export function openSandboxNetwork(options: SandboxNetworkOptions): SandboxNetwork {
  const { gate, logger, lookup = systemLookup, holdMs = defaultHoldMs, loopbackPorts, ruledPorts = [] } = options;
  // A service of this machine on the proxy's own port cannot be handed in.
  const forwarded = [...new Set([...loopbackPorts, ...ruledPorts])].filter((port) => port !== proxyPort);
  const proxy = new HostProxy({ gate, lookup, holdMs, logger });
  const listeners = new Set<Server>();
  const forwards = new Set<Connections>();
  const closed = new AbortController();

  /** A service of this machine, or what refuses it. */
  async function connectLocal(port: number): Promise<Socket | Refusal> {
    const target = { host: "127.0.0.1", port, address: [127, 0, 0, 1] };
    const isOurs = loopbackPorts.includes(port);
    const way = isOurs ? { target, addresses: [target.host] } : await findWay(target, { gate, lookup, holdMs });
    return way instanceof Refusal ? way : connectAlong(way, closed.signal);
  }

  function serve(port: number, listener: Server): void {
    listeners.add(listener);
    listener.once("close", () => listeners.delete(listener));
    if (port === proxyPort) {
      proxy.serve(listener);
      return;
    }
    const connections = new Connections(listener, logger);
    forwards.add(connections);
    listener.once("close", () => forwards.delete(connections));
    listener.on("connection", (client: Socket) => {
      connectLocal(port).then(
        (server) => {
          if (server instanceof Refusal) client.destroy();
          else join(client.setNoDelay(true), server);
        },
        () => client.destroy(),
      );
    });
  }

  return {
    launcher: launcherWords([proxyPort, ...forwarded]),
    env: environment,
    attach(child) {
      const awaited = new Set([proxyPort, ...forwarded]);
      const receive = (message: unknown, listener: unknown): void => {
        const port = portIn(message);
        if (!(listener instanceof Server)) return;
        if (port === undefined || !awaited.delete(port)) {
          listener.close();
          return;
        }
        serve(port, listener);
        child.once("exit", () => listener.close());
        if (awaited.size > 0) return;
        // From now on it is the program's turn, which has nothing to say here.
        child.off("message", receive);
        child.send("start", (error) => {
          if (error) logger.warn("a sandbox's launcher has ended too early", { reason: error.message });
        });
      };
      child.on("message", receive);
    },
    async close() {
      closed.abort();
      proxy[Symbol.dispose]();
      for (const connections of forwards) connections[Symbol.dispose]();
      await Promise.all([...listeners].map((listener) => new Promise((resolve) => listener.close(resolve))));
    },
  };
}

function portIn(message: unknown): number | undefined {
  if (typeof message !== "object" || message === null || !("port" in message)) return undefined;
  return typeof message.port === "number" ? message.port : undefined;
}
