import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { leaveOut } from "../needs-cargo.js";
import { Logger } from "../../src/base/logger.js";
import type { Effect, GuardRule } from "../../src/guard/guard-rule.js";
import { type HostChoice, HostGate, type HostQuestion } from "../../src/guard/network/host-gate.js";
import { targetText } from "../../src/guard/network/target.js";
import type { Launcher } from "../../src/guard/node/network/launcher.js";
import { openSandboxNetwork, type SharedLoopback } from "../../src/guard/node/network/sandbox-network.js";

const bubblewrap = [
  "bwrap",
  ...["--unshare-user", "--unshare-net", "--unshare-pid", "--die-with-parent"],
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
];

/** Skips the test if bubblewrap can't start a sandbox, and reports the reason. */
export function needsNamespaces(context: Mocha.Context): void {
  const tried = spawnSync("bwrap", [...bubblewrap.slice(1), "true"], { encoding: "utf8" });
  if (tried.status === 0) return;
  const reason = tried.error?.message ?? tried.stderr.trim();
  leaveOut(context, `bubblewrap cannot start a sandbox here: ${reason}`);
}

export const hostRule = (effect: Effect, ...patterns: readonly string[]): GuardRule => ({
  effect,
  subject: "host",
  patterns,
  place: "guard.jsonc:1",
});

interface WorldParts {
  readonly rules?: readonly GuardRule[];
  readonly needed?: readonly string[];
  /** Addresses of names; those of others are not known. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  readonly loopbackPorts?: readonly number[];
  readonly ruledPorts?: readonly number[];
  readonly holdMs?: number;
  readonly launcher?: Launcher;
  readonly upstreamOf?: (url: URL) => URL | undefined;
  readonly answer?: (question: HostQuestion) => Promise<HostChoice | undefined>;
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A sandbox with nothing in it but its network, and what was asked and looked up for it. */
export class SandboxWorld implements AsyncDisposable {
  readonly asked: string[] = [];
  readonly lookedUp: string[] = [];
  readonly recorded: string[] = [];
  readonly #network;

  constructor({
    rules = [],
    needed = [],
    names = {},
    holdMs,
    launcher,
    upstreamOf,
    answer,
    ...ports
  }: WorldParts = {}) {
    const gate = new HostGate({
      hosts: { needed, refused: [] },
      rules: () => Promise.resolve({ rules, isBroken: false }),
      registries: () => Promise.resolve([]),
      ask: async (question) => {
        this.asked.push(question.targets.map(targetText).join());
        const choice = await answer?.(question);
        return choice && { choice, session: "s" };
      },
      save: () => Promise.resolve(),
      record: ({ target, answer: given }) => this.recorded.push(`${given} ${targetText(target)}`),
      isOwnAddress: () => false,
    });
    this.#network = openSandboxNetwork({
      gate,
      loopbackPorts: ports.loopbackPorts ?? [],
      ruledPorts: ports.ruledPorts ?? [],
      logger: Logger.silent,
      ...(holdMs !== undefined && { holdMs }),
      ...(launcher && { launcher }),
      ...(upstreamOf && { upstreamOf }),
      lookup: (name) => {
        this.lookedUp.push(name);
        const found = names[name];
        return found
          ? Promise.resolve(found)
          : Promise.reject(Object.assign(new Error("not found"), { code: "ENOTFOUND" }));
      },
    });
  }

  /** Its way out for sandboxes that have this machine's loopback. */
  get shared(): SharedLoopback {
    return this.#network.shared;
  }

  async run(words: readonly string[], env: Readonly<Record<string, string>> = {}, cwd?: string): Promise<Ran> {
    const [file = "", ...args] = [...bubblewrap, ...this.#network.launcher, ...words];
    const child = spawn(file, args, {
      env: { ...process.env, ...this.#network.env, ...env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      ...(cwd !== undefined && { cwd }),
    });
    this.#network.attach(child);
    const exited = once(child, "exit") as Promise<[number | null]>;
    const [out, err] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : Promise.resolve("")));
    const [stdout = "", stderr = "", [code]] = await Promise.all([out, err, exited]);
    return { code, stdout, stderr };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#network.close();
  }
}

/** Command that connects to the proxy, sends `bytes` and prints the response. */
export const sending = (bytes: string): readonly string[] => [
  process.execPath,
  "-e",
  `const socket = require("net").connect(3128, "127.0.0.1", () => socket.write(Buffer.from(process.argv[1], "base64")));
   socket.pipe(process.stdout); socket.on("error", () => {});`,
  Buffer.from(bytes, "latin1").toString("base64"),
];

/** A server on this machine's loopback that ends with its test. */
export async function listening(server: Server): Promise<{ readonly port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    socket.on("error", () => undefined);
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export const httpServer = (listener: RequestListener): ReturnType<typeof listening> =>
  listening(createHttpServer(listener));
export const rawServer = (listener: (socket: Socket) => void): ReturnType<typeof listening> =>
  listening(createServer({ allowHalfOpen: true }, listener));
