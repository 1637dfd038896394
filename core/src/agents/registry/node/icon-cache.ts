import { readFile } from "node:fs/promises";
import { maxIconBytes, readIcon } from "../icon-text.js";
import { parsedObject } from "../../../base/rpc/json.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { fetchText } from "../../../settings/node/fetch-text.js";

interface IconCacheOptions {
  /** Cache file of fetched icons, keyed by address. An empty text marks an unusable icon. */
  readonly file: string;
  /** Icons are fetched only from these hosts, which also serve the list. */
  readonly hosts: readonly string[];
  readonly isOffline?: boolean;
}

const timeoutMs = 5_000;
const atOnce = 6;

export class IconCache {
  constructor(private readonly options: IconCacheOptions) {}

  /** Returns icons by address. Omits unavailable icons and retries them on the next call. */
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
