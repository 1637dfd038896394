import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Server, type Socket } from "node:net";
import type { Logger } from "../../../base/logger.js";
import { Connections } from "../../../base/node/loopback-server.js";
import type { HostGate } from "../../network/host-gate.js";
import { HostProxy, proxyUser } from "./host-proxy.js";
import { type Launcher, nodeLauncher } from "./launcher.js";
import { connectAlong, findWay, type Lookup, Refusal, systemLookup } from "./outgoing.js";
import { systemLauncher } from "./system-launcher.js";
import { join } from "./tunnel.js";

/** The network of sandboxes that share rules and answers. Each is a namespace of its own, with nothing in it but loopback. */
export interface SandboxNetwork {
  /**
   * Words before the program inside of the sandbox: a launcher that listens on loopback, hands the listeners out by IPC, then becomes
   * the program. Where it is Node's, and older than 22.15, it stays as the program's parent.
   */
  readonly launcher: readonly string[];
  /** Added to the program's environment, so that it uses the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Serves what the started child hands over; the child has an `ipc` slot in its stdio. */
  attach(child: ChildProcess): void;
  /** The same for sandboxes that have this machine's loopback, since the system has no network namespaces (macOS). */
  readonly shared: SharedLoopback;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The way out of sandboxes that have this machine's loopback, and may connect to the ports that are named here alone. */
export interface SharedLoopback {
  /** Added to the program's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Services of our own, which are reached directly. */
  readonly ports: readonly number[];
  /** Opens a proxy for one child, until that exits. Every program of this machine can connect to it: the address has a password. */
  listen(child: ChildProcess): Promise<{ readonly port: number; readonly address: string }>;
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
  /** The proxy that this machine itself uses for an address; none by default. */
  readonly upstreamOf?: (url: URL) => URL | undefined;
  /** How long a connection waits for the user: npm, git and models try again, and cargo gives up after 30 s. Default 25 s. */
  readonly holdMs?: number;
  /** The system's own by default where there is one, else Node's. */
  readonly launcher?: Launcher;
}

const defaultHoldMs = 25_000;
/** Free in every sandbox, since its network is its own. */
const proxyPort = 3128;
const proxyAddress = `http://127.0.0.1:${proxyPort}`;
/** Programs talk to each other inside of the sandbox. */
const notProxied = "localhost,127.0.0.1,::1";

const environment: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxyAddress,
  HTTPS_PROXY: proxyAddress,
  http_proxy: proxyAddress,
  https_proxy: proxyAddress,
  NO_PROXY: notProxied,
  no_proxy: notProxied,
  // Node 22.21 and 24.5, and newer ones, obey the variables above then.
  NODE_USE_ENV_PROXY: "1",
};

/** Nothing of its own listens in such a sandbox. Services of this machine that a rule names are asked of the proxy, as `localhost`. */
const sharedEnvironment: Readonly<Record<string, string>> = {
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
  NODE_USE_ENV_PROXY: "1",
};

/** Opens the network that sandboxes start with. Nothing listens on this machine: the listeners are inside of the sandboxes. */
export function openSandboxNetwork(options: SandboxNetworkOptions): SandboxNetwork {
  const { gate, logger, lookup = systemLookup, holdMs = defaultHoldMs, loopbackPorts, ruledPorts = [] } = options;
  const { launcher = systemLauncher() ?? nodeLauncher, upstreamOf } = options;
  // A service of this machine on the proxy's own port cannot be handed in.
  const forwarded = [...new Set([...loopbackPorts, ...ruledPorts])].filter((port) => port !== proxyPort);
  const proxy = new HostProxy({ gate, lookup, holdMs, logger, ...(upstreamOf && { upstreamOf }) });
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
    listener.on("connection", (client: Socket) => joinOrRefuse(client, connectLocal(port)));
  }

  return {
    launcher: [...launcher.words, [proxyPort, ...forwarded].join(",")],
    env: { ...environment, ...launcher.env },
    attach: (child) => takeListeners(child, [proxyPort, ...forwarded], serve, logger),
    shared: {
      env: sharedEnvironment,
      ports: loopbackPorts,
      listen: (child) =>
        listenShared(
          child,
          () => closed.signal.aborted,
          (listener, password) => {
            listeners.add(listener);
            listener.once("close", () => listeners.delete(listener));
            proxy.serve(listener, password);
          },
        ),
    },
    async close() {
      closed.abort();
      proxy[Symbol.dispose]();
      for (const connections of forwards) connections[Symbol.dispose]();
      await Promise.all([...listeners].map((listener) => new Promise((resolve) => listener.close(resolve))));
    },
  };
}

function joinOrRefuse(client: Socket, connecting: Promise<Socket | Refusal>): void {
  connecting.then(
    (server) => {
      if (server instanceof Refusal) client.destroy();
      else join(client.setNoDelay(true), server);
    },
    () => client.destroy(),
  );
}

/** Passes each listener that a child hands over to `serve` once, then lets the child start its program. */
function takeListeners(
  child: ChildProcess,
  ports: readonly number[],
  serve: (port: number, listener: Server) => void,
  logger: Logger,
): void {
  const awaited = new Set(ports);
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
}

/** Listens on this machine's loopback until a child exits. `serve` gets the listener and the password of its address. */
function listenShared(
  child: ChildProcess,
  isClosed: () => boolean,
  serve: (listener: Server, password: string) => void,
): Promise<{ readonly port: number; readonly address: string }> {
  return new Promise((resolve, reject) => {
    const listener = new Server();
    const password = randomBytes(24).toString("base64url");
    listener.once("error", reject);
    listener.listen(0, "127.0.0.1", () => {
      listener.off("error", reject);
      serve(listener, password);
      child.once("exit", () => listener.close());
      const address = listener.address();
      const port = typeof address === "object" ? (address?.port ?? 0) : 0;
      if (child.exitCode !== null || child.signalCode !== null || isClosed()) listener.close();
      resolve({ port, address: `http://${proxyUser}:${password}@127.0.0.1:${port}` });
    });
  });
}

function portIn(message: unknown): number | undefined {
  if (typeof message !== "object" || message === null || !("port" in message)) return undefined;
  return typeof message.port === "number" ? message.port : undefined;
}
