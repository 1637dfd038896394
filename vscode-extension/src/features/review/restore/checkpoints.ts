import type { FileText } from "../hunks/file-review.js";

/** A change that the agent made to one file. Any difference between two steps was made by someone else. */
export interface CheckpointStep {
  readonly before: FileText;
  readonly after: FileText;
}

interface Prompt {
  readonly messageId: string;
  readonly files: Map<string, CheckpointStep[]>;
  chars: number;
}

/** Maximum characters of one tab's texts. Above this limit, the oldest prompts are dropped. */
const maxCharsPerTab = 30_000_000;

export type StoredCheckpoints = readonly {
  readonly messageId: string;
  readonly files: readonly (CheckpointStep & { readonly path: string })[];
}[];

/** Texts of files before an agent's changes, by tab and prompt. */
export class Checkpoints {
  readonly #prompts = new Map<string, Prompt[]>();

  promptStarted(tabId: string, messageId: string): void {
    const prompts = this.#prompts.get(tabId) ?? [];
    this.#prompts.set(tabId, prompts);
    if (!prompts.some((prompt) => prompt.messageId === messageId))
      prompts.push({ messageId, files: new Map(), chars: 0 });
  }

  /** Adds a step to the latest prompt. With `isFirst`, adds it before the prompt's other steps in the file. */
  changed(tabId: string, path: string, before: FileText, after: FileText, isFirst = false): void {
    const prompts = this.#prompts.get(tabId);
    const prompt = prompts?.at(-1);
    if (!prompts || !prompt) return;
    const known = prompt.files.get(path) ?? [];
    const step = { before, after };
    const steps = joined(isFirst ? [step, ...known] : [...known, step]);
    prompt.files.set(path, steps);
    prompt.chars += sizeOf(steps) - sizeOf(known);
    let chars = prompts.reduce((sum, one) => sum + one.chars, 0);
    while (chars > maxCharsPerTab && prompts.length > 1) chars -= prompts.shift()?.chars ?? 0;
  }

  since(tabId: string, messageId: string): ReadonlyMap<string, readonly CheckpointStep[]> | undefined {
    const prompts = this.#prompts.get(tabId) ?? [];
    const from = prompts.findIndex((prompt) => prompt.messageId === messageId);
    if (from === -1) return undefined;
    const files = new Map<string, CheckpointStep[]>();
    for (const prompt of prompts.slice(from)) {
      for (const [path, steps] of prompt.files) files.set(path, joined([...(files.get(path) ?? []), ...steps]));
    }
    return files;
  }

  storeAll(): Record<string, StoredCheckpoints> {
    const stored = [...this.#prompts].map(([tabId, prompts]) => {
      const ofTab = prompts.map(({ messageId, files }) => ({
        messageId,
        files: [...files].flatMap(([path, steps]) => steps.map((step) => ({ path, ...step }))),
      }));
      return [tabId, ofTab] as const;
    });
    return Object.fromEntries(stored);
  }

  /** Loads stored prompts and puts them before prompts that started in the meantime. */
  restore(tabId: string, stored: StoredCheckpoints): void {
    const since = this.#prompts.get(tabId) ?? [];
    const before = stored.filter(({ messageId }) => !since.some((prompt) => prompt.messageId === messageId));
    this.#prompts.set(tabId, [
      ...before.map(({ messageId, files }) => ({ messageId, files: byPath(files), chars: sizeOf(files) })),
      ...since,
    ]);
  }

  tabClosed(tabId: string): void {
    this.#prompts.delete(tabId);
  }
}

function joined(steps: readonly CheckpointStep[]): CheckpointStep[] {
  const result: CheckpointStep[] = [];
  for (const step of steps) {
    const last = result.at(-1);
    if (last?.after === step.before) result[result.length - 1] = { before: last.before, after: step.after };
    else result.push(step);
  }
  return result;
}

function byPath(files: StoredCheckpoints[number]["files"]): Map<string, CheckpointStep[]> {
  const steps = new Map<string, CheckpointStep[]>();
  for (const { path, before, after } of files) steps.set(path, [...(steps.get(path) ?? []), { before, after }]);
  return steps;
}

function sizeOf(steps: readonly CheckpointStep[]): number {
  return steps.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0);
}
