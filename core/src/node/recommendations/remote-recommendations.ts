import { readFile } from "node:fs/promises";
import { messageOf } from "../../base/symposium-error.js";
import { type ParsedRecommendations, parseRecommendations } from "../../recommendations/recommendation-file.js";
import { asObject } from "../../rpc/json.js";
import { formatProblem } from "../../settings/problem.js";
import { atomicWrite } from "../atomic-write.js";
import { describeAge } from "../registry/catalogue-source.js";
import { fetchText } from "../registry/fetch-text.js";

export interface RemoteRecommendationsOptions {
  /** https, or http of this very machine. Empty means none. */
  readonly address: string;
  /** Where the last list is kept. */
  readonly cacheFile: string;
  /** A kept list that is younger is used without asking. */
  readonly freshMs: number;
}

interface Kept {
  readonly address: string;
  readonly fetchedAt: string;
  readonly etag: string | undefined;
  readonly text: string;
}

interface Loaded {
  readonly parsed: ParsedRecommendations | undefined;
  /** Lines for people. */
  readonly warnings: readonly string[];
}

const maxBytes = 1024 * 1024;

/**
 * The published list of recommendations. Never rejects: without an answer that can be read it is the list that was
 * kept last, or none, with a warning.
 */
export async function remoteRecommendations(options: RemoteRecommendationsOptions): Promise<Loaded> {
  const { address, cacheFile, freshMs } = options;
  if (address === "") return { parsed: undefined, warnings: [] };
  const stored = await readKept(cacheFile);
  const kept = stored?.address === address ? stored : undefined;
  const ageMs = kept ? Date.now() - Date.parse(kept.fetchedAt) : Infinity;
  if (kept && ageMs >= 0 && ageMs < freshMs) return { parsed: parseRecommendations(kept.text), warnings: [] };
  const fetched = await fetchText(address, { maxBytes, etag: kept?.etag });
  const now = new Date().toISOString();
  if (fetched.kind === "unchanged" && kept) return keep(cacheFile, { ...kept, fetchedAt: now });
  if (fetched.kind === "text") {
    const parsed = parseRecommendations(fetched.text);
    if (!parsed.isBroken) return keep(cacheFile, { address, fetchedAt: now, etag: fetched.etag, text: fetched.text });
    return fallBack(kept, ageMs, ...parsed.problems.map((problem) => formatProblem(problem, address)));
  }
  return fallBack(kept, ageMs, fetched.kind === "problem" ? fetched.message : `${address} did not answer with a list.`);
}

function fallBack(kept: Kept | undefined, ageMs: number, ...failures: readonly string[]): Loaded {
  if (!kept) return { parsed: undefined, warnings: failures };
  const age = `recommendations: using the list of ${describeAge(ageMs)} ago.`;
  return { parsed: parseRecommendations(kept.text), warnings: [...failures, age] };
}

async function keep(cacheFile: string, kept: Kept): Promise<Loaded> {
  const parsed = parseRecommendations(kept.text);
  try {
    await atomicWrite(cacheFile, `${JSON.stringify(kept)}\n`);
    return { parsed, warnings: [] };
  } catch (error) {
    return { parsed, warnings: [`recommendations: the list cannot be kept in ${cacheFile}: ${messageOf(error)}`] };
  }
}

async function readKept(cacheFile: string): Promise<Kept | undefined> {
  try {
    const { address, fetchedAt, etag, text } = asObject(JSON.parse(await readFile(cacheFile, "utf8"))) ?? {};
    if (typeof address !== "string" || typeof fetchedAt !== "string" || typeof text !== "string") return undefined;
    if (Number.isNaN(Date.parse(fetchedAt))) return undefined;
    return { address, fetchedAt, text, etag: typeof etag === "string" ? etag : undefined };
  } catch {
    // A list that cannot be read is fetched again.
    return undefined;
  }
}
