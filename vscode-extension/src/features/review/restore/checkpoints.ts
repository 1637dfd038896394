import type { FileText } from "../hunks/file-review.js";

/** What the agent made of one file, from one text to the next. What lies between two steps was not its doing. */
export interface CheckpointStep {
  readonly before: FileText;
  readonly after: FileText;
}

interface Prompt {
  readonly messageId: string;
  readonly files: Map<string, CheckpointStep[]>;
  /** Of all its texts. */
  chars: number;
}

/** Texts of one tab beyond this are given up, oldest prompt first. In characters. */
const maxCharsPerTab = 30_000_000;

/** What is stored of one tab's checkpoints. */
export type StoredCheckpoints = readonly {
  readonly messageId: string;
  readonly files: readonly (CheckpointStep & { readonly path: string })[];
}[];

/** For each prompt of a tab, the texts that its files had before the agent changed them in that turn. */
export class Checkpoints {
  readonly #prompts = new Map<string, Prompt[]>();

  promptStarted(tabId: string, messageId: string): void {
    const prompts = this.#prompts.get(tabId) ?? [];
    this.#prompts.set(tabId, prompts);
    if (!prompts.some((prompt) => prompt.messageId === messageId))
      prompts.push({ messageId, files: new Map(), chars: 0 });
  }

  /** The agent changed a file in the tab's latest turn. */
  changed(tabId: string, path: string, before: FileText, after: FileText): void {
    const prompts = this.#prompts.get(tabId);
    const prompt = prompts?.at(-1);
    if (!prompts || !prompt) return;
    const known = prompt.files.get(path) ?? [];
    const steps = joined([...known, { before, after }]);
    prompt.files.set(path, steps);
    prompt.chars += sizeOf(steps) - sizeOf(known);
    let chars = prompts.reduce((sum, one) => sum + one.chars, 0);
    while (chars > maxCharsPerTab && prompts.length > 1) chars -= prompts.shift()?.chars ?? 0;
  }

  /** What the agent did to files since that prompt; undefined where the prompt is not known (any more). */
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

  /** By tab. */
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

  /** Takes stored prompts up again, before those that were begun meanwhile. */
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

/** Steps without anything between them are one. */
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
