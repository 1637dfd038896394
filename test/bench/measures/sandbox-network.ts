import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Logger } from "#core/base/logger.js";
import { HostGate } from "#core/guard/network/host-gate.js";
import { HostProxy } from "#core/guard/node/network/host-proxy.js";
import { runToEnd } from "../../support/child.js";
import type { BenchRun } from "../bench-run.js";
import { benchPath, programAt } from "../lanes.js";
import type { Row } from "../row.js";
import { percentile } from "../statistics.js";

const program = programAt("loopback-traffic.js");
const mebibytes = 64;

interface Figures {
  readonly firstMs: readonly number[];
  readonly wholeMs: readonly number[];
}

/** Measures fetches through the sandbox's proxy and direct ones. The proxy runs in this process, server and client in their own. */
export async function measureSandboxNetwork(run: BenchRun): Promise<Row[]> {
  const server = spawn(process.execPath, [program, "serve"], { stdio: ["pipe", "pipe", "inherit"] });
  const gone = once(server, "exit");
  const listener = createServer();
  using proxy = openProxy();
  try {
    const [line] = (await once(server.stdout, "data")) as [Buffer];
    const port = line.toString().trim();
    proxy.serve(listener);
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const own = String((listener.address() as AddressInfo).port);
    const words = [
      process.execPath,
      program,
      "fetch",
      port,
      own,
      String(run.scale.starts),
      String(mebibytes * 2 ** 20),
    ];
    const { stdout, stderr } = await runToEnd({ words, env: { PATH: benchPath }, cwd: process.cwd() }, 300_000);
    if (stdout === "") throw new Error(stderr);
    return rowsOf(JSON.parse(stdout) as { readonly direct: Figures; readonly proxied: Figures });
  } finally {
    listener.close();
    server.stdin.end();
    await gone;
  }
}

function openProxy(): HostProxy {
  const rules = [{ effect: "allow", subject: "host", patterns: ["127.0.0.1"], place: "bench" }] as const;
  const gate = new HostGate({
    hosts: { needed: [], refused: [] },
    rules: () => Promise.resolve({ rules, isBroken: false }),
    registries: () => Promise.resolve([]),
    ask: () => Promise.resolve(undefined),
    save: () => Promise.resolve(),
    record: () => undefined,
    isOwnAddress: () => false,
  });
  return new HostProxy({ gate, lookup: (name) => Promise.resolve([name]), holdMs: 1_000, logger: Logger.silent });
}

function rowsOf({ direct, proxied }: { readonly direct: Figures; readonly proxied: Figures }): Row[] {
  const speed = ({ wholeMs }: Figures): number => mebibytes / (percentile(wholeMs, 50) / 1_000);
  const first = ({ firstMs }: Figures): number => percentile(firstMs, 50);
  return [
    {
      measure: `download of ${mebibytes} MiB through the sandbox's proxy, on loopback`,
      unit: "MiB/s",
      direct: speed(direct),
      ours: speed(proxied),
      target: { atLeastRatio: 0.5 },
    },
    {
      measure: "first byte of a connection through the sandbox's proxy, added",
      unit: "ms",
      isAdded: true,
      direct: first(direct),
      ours: first(proxied) - first(direct),
      target: { atMost: 3 },
    },
  ];
}
