import type { CheckpointStep } from "./checkpoints.js";
import type { Refusal, ReviewAnswers, UndoOutcome } from "../review-answers.js";

/** Files undone by one click, so that a second click can redo them. */
export class UndoneFiles {
  /** Undone steps by tab (the tab to list as author again), then by path. */
  readonly #steps = new Map<string, Map<string, readonly CheckpointStep[]>>();

  constructor(private readonly answers: Pick<ReviewAnswers, "takeBack">) {}

  get count(): number {
    return [...this.#steps.values()].reduce((count, { size }) => count + size, 0);
  }

  add(path: string, tabId: string | undefined, { step }: UndoOutcome): void {
    if (!step || tabId === undefined) return;
    const ofTab = this.#steps.get(tabId) ?? new Map<string, readonly CheckpointStep[]>();
    this.#steps.set(tabId, ofTab.set(path, [step]));
  }

  /** Puts the changes back under review and preserves others' later changes. Returns the refused files. */
  async redo(): Promise<Refusal[]> {
    const refusals: Refusal[] = [];
    for (const [tabId, steps] of this.#steps) refusals.push(...(await this.answers.takeBack(tabId, steps)));
    return refusals;
  }
}
