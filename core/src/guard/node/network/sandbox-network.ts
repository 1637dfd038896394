import type { ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Server, type Socket } from "node:net";
import type { Logger } from "../../../base/logger.js";
import { Connections } from "../../../base/node/loopback-server.js";
import type { HostGate } from "../../network/host-gate.js";
import { HostProxy, proxyUser } from "./host-proxy.js";
import { type Launcher, nodeLauncher } from "./launcher.js";
import { connectAlong, findWay, type Lookup, Refusal, systemLookup } from "./check-and-connect.js";
import { systemLauncher } from "./system-launcher.js";
import { join } from "./tunnel.js";

/** Network of the sandboxes that share rules and answers. Each sandbox gets its own network namespace, which contains only loopback. */
export interface SandboxNetwork {
  /**
   * Words that precede the program's command line in the sandbox. They start a launcher, which listens on loopback, sends the listeners
   * over IPC and then becomes the program (on Node older than 22.15, it remains as the program's parent).
   */
  readonly launcher: readonly string[];
  /** Environment variables that make programs use the sandbox's proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** Serves the listeners that the child process sends. The child needs an `ipc` slot in its stdio. */
  attach(child: ChildProcess): void;
  /** Variant for macOS, which has no network namespaces, so sandboxes share this machine's loopback. */
  readonly shared: SharedLoopback;
  close(): Promise<void>;
}

/** Network of sandboxes that share this machine's loopback. They may connect only to the listed ports. */
export interface SharedLoopback {
  readonly env: Readonly<Record<string, string>>;
  /** Ports of Symposium's services, which programs reach without the proxy. */
  readonly ports: readonly number[];
  /** Opens a proxy for a child process until it exits. The proxy's address contains a password, since every local program can connect. */
  listen(child: ChildProcess): Promise<{ readonly port: number; readonly address: string }>;
}

interface SandboxNetworkOptions {
  readonly gate: HostGate;
  /** Ports of Symposium's services, which have the same numbers inside the sandbox. */
  readonly loopbackPorts: readonly number[];
  /** Ports of local services that rules name. The host gate checks each connection, since the rules may change later. */
  readonly ruledPorts?: readonly number[];
  readonly logger: Logger;
  /** Function that resolves host names; by default, the system's resolver. */
  readonly lookup?: Lookup;
  /** Returns the proxy that this machine uses for a URL; by default, none. */
  readonly upstreamOf?: (url: URL) => URL | undefined;
  /**
   * Milliseconds that a connection waits for the user's answer; by default, 25 s. cargo gives up after 30 s; npm, git and connections to
   * models retry.
   */
  readonly holdMs?: number;
  /** Launcher to use; by default, the system's launcher if available, otherwise Node's. */
  readonly launcher?: Launcher;
}

const defaultHoldMs = 25_000;
/** This port is always free, since every sandbox has its own network. */
const proxyPort = 3128;
const proxyAddress = `http://127.0.0.1:${proxyPort}`;
/** Programs in the same sandbox connect to each other without the proxy. */
const notProxied = "localhost,127.0.0.1,::1";

const environment: Readonly<Record<string, string>> = {
  HTTP_PROXY: proxyAddress,
  HTTPS_PROXY: proxyAddress,
  http_proxy: proxyAddress,
  https_proxy: proxyAddress,
  NO_PROXY: notProxied,
  no_proxy: notProxied,
  // Makes Node 22.21, 24.5 and later use the proxy variables.
  NODE_USE_ENV_PROXY: "1",
};

/**
 * Variables for sandboxes that share this machine's loopback. Programs there can't listen, and reach the local services that rules name
 * through the proxy, as `localhost`.
 */
const sharedEnvironment: Readonly<Record<string, string>> = {
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
  NODE_USE_ENV_PROXY: "1",
};

/** Opens the network for sandboxes to start with. The listeners are inside the sandboxes, so nothing listens on this machine. */
export function openSandboxNetwork(options: SandboxNetworkOptions): SandboxNetwork {
  const { gate, logger, lookup = systemLookup, holdMs = defaultHoldMs, loopbackPorts, ruledPorts = [] } = options;
  const { launcher = systemLauncher() ?? nodeLauncher, upstreamOf } = options;
  // A local service that uses the proxy's own port can't be forwarded.
  const forwarded = [...new Set([...loopbackPorts, ...ruledPorts])].filter((port) => port !== proxyPort);
  const proxy = new HostProxy({ gate, lookup, holdMs, logger, ...(upstreamOf && { upstreamOf }) });
  const listeners = new Set<Server>();
  const forwards = new Set<Connections>();
  const closed = new AbortController();

  /** Connects to a local service, or returns the gate's refusal. */
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

/** Passes each listener that a child process sends to `serve`. After the last listener, lets the child start its program. */
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
    // Stop listening, since later messages come from the program.
    child.off("message", receive);
    child.send("start", (error) => {
      if (error) logger.warn("a sandbox's launcher exited too early", { reason: error.message });
    });
  };
  child.on("message", receive);
}

/** Listens on this machine's loopback until a child exits. `serve` receives the listener and its password. */
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
