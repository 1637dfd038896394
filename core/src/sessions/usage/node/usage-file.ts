import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { atomicWrite, readIfThere } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";
import { keepAside } from "../../../base/node/json-file.js";
import { SpacedRuns } from "../../../base/spaced-runs.js";
import { asObject, parsedObject, objectsOf } from "../../../base/rpc/json.js";
import type { UsageStore } from "../usage-counter.js";
import type { AgentLimit } from "../usage-table.js";
import { dayOf, parseUsageRow, sumUsage, type UsageRow, usageKey } from "../usage-row.js";

const dayMs = 24 * 60 * 60_000;
const keptDays = 400;
/** Minimum pause between two writes, in milliseconds, so that many short turns share a write. */
const pauseMs = 250;

/** Private file `{"rows": […]}` to which all processes add usage. Failures are only logged, since no more than a count is lost. */
export class UsageFile implements UsageStore, AsyncDisposable {
  #waiting: UsageRow[] = [];
  #waitingLimits = new Map<string, AgentLimit>();
  /** Limits as this process last wrote them. */
  readonly #limits = new Map<string, string>();
  readonly #writes = new SpacedRuns(() => this.#write(), pauseMs);

  constructor(
    private readonly file: string,
    private readonly logger: Logger,
    private readonly isWanted: () => Promise<boolean> = () => Promise.resolve(true),
  ) {}

  add(row: UsageRow): void {
    this.#waiting.push(row);
    this.#writes.request();
  }

  limit(limit: AgentLimit): void {
    const [key, text] = [limitKey(limit), JSON.stringify(limit)];
    if (this.#limits.get(key) === text) return;
    this.#limits.set(key, text);
    this.#waitingLimits.set(key, limit);
    this.#writes.request();
  }

  /** Resolves when all added rows are written. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#writes.settled();
  }

  /** Writes together the rows added since the last write. */
  async #write(): Promise<void> {
    try {
      if (!(await this.isWanted())) this.#forget();
      if (this.#waiting.length === 0 && this.#waitingLimits.size === 0) return;
      await using _lock = await FileLock.take(this.file);
      const added = this.#waiting.splice(0);
      const said = this.#waitingLimits;
      this.#waitingLimits = new Map();
      const { rows, rest } = await this.#before();
      const oldest = dayOf(Date.now() - keptDays * dayMs);
      const kept = sumUsage([...rows, ...added], usageKey).filter(({ day }) => day >= oldest);
      const limits = new Map([...limitsIn(rest).map((one) => [limitKey(one), one] as const), ...said]);
      const content = { ...rest, ...(limits.size > 0 && { limits: [...limits.values()] }), rows: kept };
      await atomicWrite(this.file, `${JSON.stringify(content)}\n`);
    } catch (fault) {
      this.#forget();
      this.logger.warn("usage was not counted", { message: messageOf(fault) });
    }
  }

  #forget(): void {
    this.#waiting = [];
    this.#waitingLimits = new Map();
  }

  /** Returns the file's contents. Moves an unreadable file aside. */
  async #before(): Promise<UsageContent> {
    const content = await readContent(this.file);
    if (content !== "damaged") return content;
    const kept = await keepAside(this.file);
    this.logger.warn("the usage figures couldn't be read and were set aside", { file: this.file, kept });
    return { rows: [], rest: {} };
  }
}

interface UsageContent {
  readonly rows: readonly UsageRow[];
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Returns all rows, oldest first; empty without a file, undefined if damaged. Rejects if the file can't be opened. */
export async function readUsage(file: string): Promise<readonly UsageRow[] | undefined> {
  const content = await readContent(file);
  return content === "damaged"
    ? undefined
    : [...content.rows].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
}

/** Returns the agents' latest account limits; empty if the file is damaged. */
export async function readLimits(file: string): Promise<readonly AgentLimit[]> {
  const content = await readContent(file);
  return content === "damaged" ? [] : limitsIn(content.rest);
}

function limitsIn({ limits }: Readonly<Record<string, unknown>>): readonly AgentLimit[] {
  return objectsOf(limits).flatMap((limit) => {
    const { agent, name, status, used, resetsAt } = limit;
    if (typeof agent !== "string" || typeof name !== "string" || typeof status !== "string") return [];
    return {
      ...limit,
      agent,
      name,
      status,
      ...(typeof used === "number" && { used }),
      ...(typeof resetsAt === "number" && { resetsAt }),
    };
  });
}

function limitKey({ agent, name }: AgentLimit): string {
  return JSON.stringify([agent, name]);
}

async function readContent(file: string): Promise<UsageContent | "damaged"> {
  const text = (await readIfThere(file)) ?? `{"rows":[]}`;
  const { rows, ...rest } = asObject(parsedObject(text)) ?? {};
  return Array.isArray(rows) ? { rows: rows.flatMap((row) => parseUsageRow(row) ?? []), rest } : "damaged";
}
