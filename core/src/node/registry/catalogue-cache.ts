import { readFile } from "node:fs/promises";
import { parseCatalogue, type Catalogue } from "../../registry/catalogue.js";
import { asObject } from "../../rpc/json.js";
import { atomicWrite } from "../atomic-write.js";

/** A list as it was last fetched. */
export interface CachedCatalogue {
  readonly catalogue: Catalogue;
  readonly fetchedAt: Date;
  /** Where it came from. */
  readonly address: string;
  readonly etag?: string;
  /** As published. */
  readonly text: string;
}

/** Reads the list that is kept in `file`. Undefined where there is none, or none that can be read. */
export async function readCachedCatalogue(file: string): Promise<CachedCatalogue | undefined> {
  try {
    const stored = asObject(JSON.parse(await readFile(file, "utf8")));
    const { fetchedAt: date, address, etag, text } = stored ?? {};
    if (typeof date !== "string" || typeof address !== "string" || typeof text !== "string") return undefined;
    const catalogue = parseCatalogue(JSON.parse(text));
    const fetchedAt = new Date(date);
    if ("kind" in catalogue || Number.isNaN(fetchedAt.getTime())) return undefined;
    return { catalogue, fetchedAt, address, text, ...(typeof etag === "string" ? { etag } : {}) };
  } catch {
    // A list that cannot be read is fetched again.
    return undefined;
  }
}

/** Keeps a list in `file`, whole or not at all. Rejects with the system's error. */
export async function writeCachedCatalogue(file: string, cached: CachedCatalogue): Promise<void> {
  const { fetchedAt, address, etag, text } = cached;
  await atomicWrite(file, `${JSON.stringify({ fetchedAt: fetchedAt.toISOString(), address, etag, text })}\n`);
}
