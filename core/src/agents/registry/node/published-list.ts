import { readFile } from "node:fs/promises";
import { messageOf } from "../../../base/symposium-error.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { asObject, stringOf } from "../../../base/rpc/json.js";
import { fetchText } from "../../../settings/node/fetch-text.js";

export interface ListPlace {
  /** URLs that are tried in order until one returns a list. Without URLs, there is no list. */
  readonly addresses: readonly string[];
  readonly cacheFile: string;
  /** Maximum age at which the cached list is used without a request, in milliseconds. Default 0. */
  readonly freshMs?: number;
  /** Whether to use the cached list regardless of its age and send no requests. */
  readonly isOffline?: boolean;
  /** Timeout for each address. Default 10 s. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly now?: () => Date;
}

interface PublishedListOptions<List> extends ListPlace {
  /** Name of the list in warnings, for example `registry`. */
  readonly name: string;
  /** Parses a list from `address`; returns the reasons if the text isn't a usable list. */
  readonly parse: (text: string, address: string) => { readonly list: List } | { readonly failures: readonly string[] };
}

export interface LoadedList<List> {
  /** Undefined if neither the network nor the cache has a list. */
  readonly list?: List;
  readonly from: "network" | "cache" | "none";
  /** Time at which the list was last known to be current; absent for `none`. */
  readonly fetchedAt?: Date;
  readonly warnings: readonly string[];
}

interface CachedText {
  readonly address: string;
  readonly fetchedAt: Date;
  readonly etag?: string | undefined;
  readonly text: string;
}

/**
 * Loads a published list and caches it for offline use. Never rejects: without an answer, returns the cached list or none, with warnings.
 */
export async function loadPublishedList<List>(options: PublishedListOptions<List>): Promise<LoadedList<List>> {
  const { addresses, cacheFile, freshMs = 0, name, parse, isOffline = false, now = () => new Date() } = options;
  if (addresses.length === 0) return { from: "none", warnings: [] };
  const stored = await readCachedText(cacheFile);
  // Ignores a list cached from an address that is no longer configured.
  const kept = stored && addresses.includes(stored.address) ? stored : undefined;
  const old = kept && parse(kept.text, kept.address);
  const cached: LoadedList<List> =
    old && "list" in old
      ? { list: old.list, from: "cache", fetchedAt: kept.fetchedAt, warnings: [] }
      : { from: "none", warnings: [] };
  const ageMs = cached.fetchedAt ? now().getTime() - cached.fetchedAt.getTime() : Infinity;
  if (isOffline || (ageMs >= 0 && ageMs < freshMs)) return cached;
  const failures: string[] = [];
  for (const address of addresses) {
    const same = cached.list !== undefined && kept?.address === address ? kept : undefined;
    const fetched = await fetchedText(address, same, options);
    if (typeof fetched === "string") {
      failures.push(`${name}: ${fetched}`);
      continue;
    }
    const parsed = parse(fetched.text, address);
    if ("failures" in parsed) {
      failures.push(...parsed.failures);
      continue;
    }
    const warnings = await storeText(cacheFile, fetched, name);
    return { list: parsed.list, from: "network", fetchedAt: fetched.fetchedAt, warnings };
  }
  const age = cached.list === undefined ? [] : [`${name}: using the list from ${describeAge(ageMs)} ago.`];
  return { ...cached, warnings: [...failures, ...age] };
}

/** Returns the text with the time of the request, or the reason for a failure. */
async function fetchedText(
  address: string,
  known: CachedText | undefined,
  { timeoutMs, maxBytes, now = () => new Date() }: ListPlace,
): Promise<CachedText | string> {
  const fetched = await fetchText(address, {
    etag: known?.etag,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(maxBytes !== undefined && { maxBytes }),
  });
  if (fetched.kind === "problem") return fetched.message;
  if (fetched.kind === "text") return { address, fetchedAt: now(), etag: fetched.etag, text: fetched.text };
  return known ? { ...known, fetchedAt: now() } : `${address} reported an unchanged list, but none is stored.`;
}

async function storeText(file: string, text: CachedText, name: string): Promise<readonly string[]> {
  try {
    await writeCachedText(file, text);
    return [];
  } catch (error) {
    return [`${name}: the list can't be stored in ${file}: ${messageOf(error)}`];
  }
}

async function readCachedText(file: string): Promise<CachedText | undefined> {
  try {
    const { fetchedAt: date, address, etag, text } = asObject(JSON.parse(await readFile(file, "utf8"))) ?? {};
    if (typeof date !== "string" || typeof address !== "string" || typeof text !== "string") return undefined;
    const fetchedAt = new Date(date);
    return Number.isNaN(fetchedAt.getTime()) ? undefined : { address, fetchedAt, text, etag: stringOf(etag) };
  } catch {
    // Unreadable cached lists are downloaded again.
    return undefined;
  }
}

/** Writes the list atomically. Rejects with the system's error. */
export async function writeCachedText(file: string, { fetchedAt, address, etag, text }: CachedText): Promise<void> {
  await atomicWrite(file, `${JSON.stringify({ fetchedAt: fetchedAt.toISOString(), address, etag, text })}\n`);
}

/** Formats an age such as "3 days". A negative age, after a clock change, becomes "less than a minute". */
export function describeAge(ms: number): string {
  const units = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ] as const;
  const [unit, length] = units.find((candidate) => ms >= candidate[1]) ?? ["minute", 60_000];
  const count = Math.max(0, Math.floor(ms / length));
  if (count === 0) return "less than a minute";
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
