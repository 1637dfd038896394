import { lookup as lookUp } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import type { Admission, HostGate } from "../../network/host-gate.js";
import { readAddress } from "../../network/ip-address.js";
import { messageOf } from "../../../base/symposium-error.js";
import { type Target, targetText } from "../../network/target.js";
import { connectWithBuffer } from "./reused-buffer-socket.js";

/** All addresses of a name, as this machine finds them. */
export type Lookup = (name: string) => Promise<readonly string[]>;

const connectMs = 20_000;
/** The time that an address has before the next one is tried, too. */
const attemptMs = 2_000;

/** Why there is no connection, as an answer of HTTP. */
export class Refusal {
  constructor(
    readonly status: 403 | 502,
    readonly reason: string,
  ) {}
}

/** Addresses that were checked, to connect to without another look. */
export interface Way {
  readonly target: Target;
  readonly addresses: readonly string[];
  /** The user's own proxy, which it leads through: that looks up the name itself. */
  readonly upstream?: URL;
}

export interface WayParts {
  readonly gate: HostGate;
  readonly lookup: Lookup;
  /** How long a connection waits for the user. */
  readonly holdMs: number;
  /** The proxy that this machine uses for an address; none by default. */
  readonly upstreamOf?: (url: URL) => URL | undefined;
}

export const systemLookup: Lookup = async (name) => (await lookUp(name, { all: true })).map(({ address }) => address);

/**
 * Finds out whether a program may connect, and to which addresses: names are looked up once, and only when that is allowed,
 * since what is looked up is told to servers of others. Never rejects.
 */
export async function findWay(target: Target, parts: WayParts): Promise<Way | Refusal> {
  const { gate, lookup, holdMs } = parts;
  const admission = await inTime(gate.admit(target), holdMs);
  if (admission === undefined) {
    const text = targetText(target);
    return new Refusal(403, `The user is asked about ${text} and has not answered yet. Try again when that is done.`);
  }
  if (!admission.isAllowed) return new Refusal(403, admission.reason);
  const { host, address } = target;
  const upstream = upstreamFor(target, parts);
  if (upstream instanceof Refusal) return upstream;
  try {
    const way = checked(target, address ? [host.replace(/^\[|\]$/g, "")] : await lookup(host), admission);
    return way instanceof Refusal || !upstream ? way : { ...way, upstream };
  } catch (error) {
    // Behind a proxy, names of the internet are often known to that alone.
    if (upstream) return { target, addresses: [], upstream };
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return new Refusal(502, `No address is known for ${host} (${code}).`);
  }
}

function upstreamFor(target: Target, { upstreamOf }: WayParts): URL | Refusal | undefined {
  try {
    return upstreamOf?.(new URL(`${target.port === 80 ? "http" : "https"}://${targetText(target)}/`));
  } catch {
    // Its text may hold a password.
    return new Refusal(502, "HTTPS_PROXY, or HTTP_PROXY, of the user's environment is no address of a proxy.");
  }
}

/** Connects; rejects with the system's error, or what the user's proxy says. */
export function connectAlong(way: Way, signal: AbortSignal): Promise<Socket> {
  return way.upstream ? connectThrough(way.upstream, way, signal) : connectDirectly(way, signal);
}

async function connectThrough(upstream: URL, { target }: Way, signal: AbortSignal): Promise<Socket> {
  const { openTunnel } = await import("../../../base/node/proxy-tunnel.js");
  const socket = await openTunnel(upstream, target.host.replace(/^\[|\]$/g, ""), target.port).catch(
    (error: unknown) => {
      throw new Error(withoutAddress(error, upstream));
    },
  );
  socket.on("error", () => socket.destroy());
  if (signal.aborted) {
    socket.destroy();
    throw new Error("nobody waits any more");
  }
  return socket.setNoDelay(true);
}

/** The program is told what is wrong with the user's proxy, and not where that is. */
function withoutAddress(error: unknown, { host }: URL): string {
  if (error instanceof Error && "code" in error) return `the user's proxy cannot be reached (${String(error.code)})`;
  return messageOf(error).replaceAll(`the proxy ${host}`, "the user's proxy");
}

function connectDirectly({ target, addresses }: Way, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const [first = ""] = addresses;
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const socket = connectWithBuffer({
      port: target.port,
      // A name that the lookup below answers by what was checked.
      host: all.length === 1 ? first : "checked.invalid",
      autoSelectFamily: all.length > 1,
      autoSelectFamilyAttemptTimeout: attemptMs,
      lookup: (_name, { all: wantsAll }, done) => {
        if (wantsAll === true) done(null, all);
        else done(null, first, isIP(first));
      },
      allowHalfOpen: true,
      noDelay: true,
    });
    const end = (error: Error): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(end, connectMs, new Error("it does not answer"));
    const abort = (): void => end(new Error("nobody waits any more"));
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.once("error", end);
    socket.once("connect", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.off("error", end);
      // Whatever becomes of it, a connection that is reset does not end this process.
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

function checked(
  target: Target,
  addresses: readonly string[],
  admission: Admission & { isAllowed: true },
): Way | Refusal {
  const judged = addresses.map((text) => {
    const address = readAddress(text);
    return { text, refusal: address ? admission.refusalOf(address) : `${text} is no address` };
  });
  const allowed = judged.filter(({ refusal }) => refusal === undefined).map(({ text }) => text);
  if (allowed.length > 0) return { target, addresses: allowed };
  return new Refusal(403, judged[0]?.refusal ?? `${target.host} has no address.`);
}

async function inTime<T>(answer: Promise<T>, holdMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, holdMs, undefined)));
  // The connection that waits keeps this process running, as long as it is there.
  timer?.unref();
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  return first;
}
