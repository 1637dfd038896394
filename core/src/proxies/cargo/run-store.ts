import { SymposiumError } from "../../base/symposium-error.js";
import type { DiagnosticGroup } from "./diagnostic-list.js";
import type { RunLog } from "./services.js";

/** What is kept of a run. */
interface StoredRun {
  readonly handle: string;
  readonly log: RunLog;
  /** As numbered in the report. */
  groups: readonly DiagnosticGroup[];
}

/** Older runs are forgotten. */
const maxRuns = 20;
const maxDetailLength = 16_000;

/** Keeps the latest runs by their handle. Disposing removes their logs. */
export class RunStore implements AsyncDisposable {
  readonly #runs = new Map<string, StoredRun>();
  #next = 1;

  async add(log: RunLog): Promise<StoredRun> {
    const run: StoredRun = { handle: `c${this.#next++}`, log, groups: [] };
    this.#runs.set(run.handle, run);
    const [oldest] = this.#runs.values();
    if (this.#runs.size > maxRuns && oldest) {
      this.#runs.delete(oldest.handle);
      await oldest.log[Symbol.asyncDispose]();
    }
    return run;
  }

  /** Diagnostic `index` of a run, from 1, as the compiler prints it. Throws `invalid-arguments` when there is none. */
  detail(handle: string, index: number): string {
    const { groups } = this.#get(handle);
    const group = groups[index - 1];
    if (!group) {
      throw new SymposiumError(
        "invalid-arguments",
        `index: ${handle} has no diagnostic ${index}.`,
        groups.length === 0 ? "It has none; cargo_output shows its output." : `It has 1 to ${groups.length}.`,
      );
    }
    const texts = group.members.map(({ diagnostic }) => diagnostic.rendered.trimEnd());
    const text = texts.join("\n\n");
    if (text.length <= maxDetailLength) return text;
    return `${text.slice(0, maxDetailLength)}\n… ${text.length - maxDetailLength} characters left out (cargo_output ${handle})`;
  }

  /** A page of a run's output below a line that says which; a negative offset counts from the end. */
  async page(handle: string, offset: number, limit: number): Promise<string> {
    const { log } = this.#get(handle);
    const whole = await log.read(0, 0);
    const from = offset < 0 ? Math.max(0, whole.size + offset) : offset;
    const { text, start, end, size } = await log.read(from, limit);
    if (size === 0) return `${handle}: no output.`;
    if (start >= size) return `${handle}: its output ends at byte ${size}, before offset ${from}.`;
    const next = end < size ? `; next offset ${end}` : ", the end";
    return `${handle}: bytes ${start} to ${end} of ${size}${next}\n${text}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const runs = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.all(runs.map(({ log }) => log[Symbol.asyncDispose]()));
  }

  #get(handle: string): StoredRun {
    const run = this.#runs.get(handle.replace(/^\[(.*)\]$/, "$1"));
    if (run) return run;
    const known = [...this.#runs.keys()].join(", ");
    throw new SymposiumError(
      "invalid-arguments",
      `handle: "${handle}" is not kept.`,
      known === "" ? "No run is kept yet." : `Kept: ${known}.`,
    );
  }
}
