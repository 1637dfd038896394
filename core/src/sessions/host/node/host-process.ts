import { LogFilter, Logger } from "../../../base/logger.js";
import { endOnSignals } from "../../../base/node/end-on-signals.js";
import { logFileSink } from "../../../base/node/log-file.js";
import { productVersion } from "../../../base/node/product-version.js";
import { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { Host } from "../host.js";
import type { ServedConductor } from "../served-conductor.js";
import type { HostDisk } from "../live-session.js";
import { conductorProcess } from "./conductor-process.js";
import type { HostAddress } from "./host-address.js";
import { HostServer } from "./host-server.js";

interface HostProcessOptions {
  readonly address: HostAddress;
  readonly disk: HostDisk;
  readonly maxLineBytes: number;
  /** Milliseconds without activity after which the host ends. */
  readonly idleMs: number;
}

export interface HostStatus {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly startedAt: string;
  readonly clients: number;
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly cwd: string;
    readonly title: string;
    /** Agent's display name; "" if unknown. */
    readonly agent: string;
    readonly state: string;
    readonly isAttached: boolean;
    /** Time of the session's last change, in milliseconds since 1970. */
    readonly updated: number;
  }[];
}

/**
 * Runs the host until it is stopped or idle for too long. Calls `onReady` with false if another host is already listening. Resolves after
 * all started processes have ended.
 */
export async function runHost(options: HostProcessOptions, onReady: (isFirst: boolean) => void): Promise<void> {
  const { address, disk, maxLineBytes, idleMs } = options;
  const log = new Logger(logFileSink(address.logFile, LogFilter.parse("info").filter), "host");
  const watchdog = new Watchdog();
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const processes = { logger: log, watchdog, maxLineBytes };
  const host = new Host({
    start: (start, client, hooks) => conductorProcess(start, client, hooks, processes),
    disk,
    logger: log,
    idleMs,
    now: () => Date.now(),
  });
  const startedAt = new Date().toISOString();
  const status = (): string => {
    const shown: HostStatus = {
      pid: process.pid,
      version: productVersion,
      socket: address.socket,
      startedAt,
      clients: host.clientCount,
      sessions: [...host.conductors()].flatMap(sessionsOf),
    };
    return JSON.stringify(shown);
  };
  const server = new HostServer({ host, address, maxLineBytes, logger: log, status, onStop: () => stop() });
  if (!(await server.listen())) {
    onReady(false);
    return;
  }
  log.info("the host listens", { pid: process.pid, version: productVersion });
  let timer: NodeJS.Timeout | undefined;
  const tidy = (): void => {
    const nextMs = host.tidy();
    if (nextMs === undefined) stop();
    else timer = setTimeout(tidy, nextMs);
  };
  tidy();
  const end = stopped.then(async () => {
    clearTimeout(timer);
    await server[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
    watchdog[Symbol.dispose]();
    log.info("the host has ended");
  });
  using _signals = endOnSignals({
    end: () => {
      stop();
      return end;
    },
    kill: () => watchdog.kill(),
  });
  onReady(true);
  await end;
}

function sessionsOf({ agent, sessions }: ServedConductor): HostStatus["sessions"] {
  return Array.from(sessions, ({ id, folder, title, state, isAttached, changedAt }) => {
    return { sessionId: id, cwd: folder, title, agent, state, isAttached, updated: changedAt };
  });
}
