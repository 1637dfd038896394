import { lookup as lookUp } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import type { Admission, HostGate } from "../../network/host-gate.js";
import { readAddress } from "../../network/ip-address.js";
import { type Target, targetText } from "../../network/target.js";

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
}

export interface WayParts {
  readonly gate: HostGate;
  readonly lookup: Lookup;
  /** How long a connection waits for the user. */
  readonly holdMs: number;
}

export const systemLookup: Lookup = async (name) => (await lookUp(name, { all: true })).map(({ address }) => address);

/**
 * Finds out whether a program may connect, and to which addresses: names are looked up once, and only when that is allowed,
 * since what is looked up is told to servers of others. Never rejects.
 */
export async function findWay(target: Target, { gate, lookup, holdMs }: WayParts): Promise<Way | Refusal> {
  const admission = await inTime(gate.admit(target), holdMs);
  if (admission === undefined) {
    const text = targetText(target);
    return new Refusal(403, `The user is asked about ${text} and has not answered yet. Try again when that is done.`);
  }
  if (!admission.isAllowed) return new Refusal(403, admission.reason);
  const { host, address } = target;
  if (address) return checked(target, [host.replace(/^\[|\]$/g, "")], admission);
  try {
    return checked(target, await lookup(host), admission);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return new Refusal(502, `No address is known for ${host} (${code}).`);
  }
}

/** Connects; rejects with the system's error. */
export function connectAlong({ target, addresses }: Way, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const [first = ""] = addresses;
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    const socket = connect({
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
