import { deadlineIn } from "../../../base/until-aborted.js";
import { lookup as lookUp } from "node:dns/promises";
import { isIP, type Socket } from "node:net";
import type { Admission, HostGate } from "../../network/host-gate.js";
import { readAddress } from "../../network/ip-address.js";
import { messageOf } from "../../../base/symposium-error.js";
import { type Target, targetText } from "../../network/target.js";
import { connectWithBuffer } from "./reused-buffer-socket.js";

export type Lookup = (name: string) => Promise<readonly string[]>;

const connectMs = 20_000;
/** Milliseconds before the next address is tried in parallel. */
const attemptMs = 2_000;

/** Reason why a connection wasn't made, as an HTTP response. */
export class Refusal {
  constructor(
    readonly status: 403 | 502,
    readonly reason: string,
  ) {}
}

/** Target with its checked addresses, so that connecting needs no second DNS lookup. */
export interface Way {
  readonly target: Target;
  readonly addresses: readonly string[];
  /** The user's own proxy for this connection. That proxy resolves the host name itself. */
  readonly upstream?: URL;
}

export interface WayParts {
  readonly gate: HostGate;
  readonly lookup: Lookup;
  /** Milliseconds that a connection waits for the user's answer. */
  readonly holdMs: number;
  /** Returns the proxy that this machine uses for a URL; by default, none. */
  readonly upstreamOf?: (url: URL) => URL | undefined;
}

export const systemLookup: Lookup = async (name) => (await lookUp(name, { all: true })).map(({ address }) => address);

/**
 * Determines whether a program may connect to a target, and to which addresses. Resolves the host name once, and only if the target is
 * allowed, since a DNS query reaches foreign servers; never rejects.
 */
export async function findWay(target: Target, parts: WayParts): Promise<Way | Refusal> {
  const { gate, lookup, holdMs } = parts;
  using deadline = deadlineIn(holdMs);
  const admission = await Promise.race([gate.admit(target), deadline.passed]);
  if (admission === undefined) {
    const text = targetText(target);
    return new Refusal(403, `The user was asked about ${text} and has not answered yet. Try again after the answer.`);
  }
  if (!admission.isAllowed) return new Refusal(403, admission.reason);
  const { host, address } = target;
  const upstream = upstreamFor(target, parts);
  if (upstream instanceof Refusal) return upstream;
  try {
    const way = checked(target, address ? [host.replace(/^\[|\]$/g, "")] : await lookup(host), admission);
    return way instanceof Refusal || !upstream ? way : { ...way, upstream };
  } catch (error) {
    // If the user has a proxy, often only that proxy can resolve public names.
    if (upstream) return { target, addresses: [], upstream };
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return new Refusal(502, `No address was found for ${host} (${code}).`);
  }
}

function upstreamFor(target: Target, { upstreamOf }: WayParts): URL | Refusal | undefined {
  try {
    return upstreamOf?.(new URL(`${target.port === 80 ? "http" : "https"}://${targetText(target)}/`));
  } catch {
    // Omit the URL, which may contain a password.
    return new Refusal(502, "HTTPS_PROXY or HTTP_PROXY in the user's environment isn't a valid proxy address.");
  }
}

/** Connects to the target. Rejects with the system's error, or with the error of the user's proxy. */
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

/** Describes an error of the user's proxy without the proxy's address. */
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
      // A placeholder name; the `lookup` function below returns the checked addresses.
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
      // A connection reset must not crash this process.
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
    return { text, refusal: address ? admission.refusalOf(address) : `${text} isn't a valid address` };
  });
  const allowed = judged.filter(({ refusal }) => refusal === undefined).map(({ text }) => text);
  if (allowed.length > 0) return { target, addresses: allowed };
  return new Refusal(403, judged[0]?.refusal ?? `${target.host} has no address.`);
}
