import { readFile } from "node:fs/promises";
import { maxIconBytes, readIcon } from "../icon-text.js";
import { parsedObject } from "../../../base/rpc/json.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { fetchText } from "../../../settings/node/fetch-text.js";

interface IconCacheOptions {
  /** Keeps the icons that were fetched, by address; an empty text is one that cannot be used. */
  readonly file: string;
  /** Icons are fetched from these hosts alone: those that the list itself came from. */
  readonly hosts: readonly string[];
  readonly isOffline?: boolean;
}

const timeoutMs = 5_000;
const atOnce = 6;

/** Icons of a registry's entries, each fetched once. */
export class IconCache {
  constructor(private readonly options: IconCacheOptions) {}

  /** The icons by address; those that cannot be had are left out, and asked for again another time. */
  async load(addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { file, hosts, isOffline = false } = this.options;
    const kept = await readKept(file);
    const wanted = addresses.filter((address) => !kept.has(address) && hosts.includes(new URL(address).host));
    if (!isOffline && wanted.length > 0) {
      const waiting = [...new Set(wanted)];
      const fetchNext = async (): Promise<void> => {
        for (let address = waiting.pop(); address !== undefined; address = waiting.pop()) {
          const fetched = await fetchText(address, { timeoutMs, maxBytes: maxIconBytes });
          if (fetched.kind === "text") kept.set(address, readIcon(fetched.text) ?? "");
        }
      };
      await Promise.all(Array.from({ length: atOnce }, fetchNext));
      // Without the file they are fetched again.
      await atomicWrite(file, `${JSON.stringify(Object.fromEntries(kept))}\n`).catch(() => undefined);
    }
    return new Map(addresses.flatMap((address) => (kept.get(address) ? [[address, kept.get(address) ?? ""]] : [])));
  }
}

async function readKept(file: string): Promise<Map<string, string>> {
  const stored = parsedObject(await readFile(file, "utf8").catch(() => "")) ?? {};
  return new Map(
    Object.entries(stored).map(
      ([address, text]) => [address, typeof text === "string" ? (readIcon(text) ?? "") : ""] as const,
    ),
  );
}
