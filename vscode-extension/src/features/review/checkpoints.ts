import type { FileText } from "./engine/file-review.js";

/** What one file was before a prompt, and what the agent last left in it. */
export interface CheckpointFile {
  readonly before: FileText;
  readonly after: FileText;
}

interface Prompt {
  readonly messageId: string;
  readonly files: Map<string, CheckpointFile>;
}

/** Texts of one tab beyond this are given up, oldest prompt first. In characters. */
const maxCharsPerTab = 30_000_000;

/** What is stored of one tab's checkpoints. */
export type StoredCheckpoints = readonly {
  readonly messageId: string;
  readonly files: readonly (CheckpointFile & { readonly path: string })[];
}[];

/** For each prompt of a tab, the texts that its files had before the agent changed them in that turn. */
export class Checkpoints {
  readonly #prompts = new Map<string, Prompt[]>();

  promptStarted(tabId: string, messageId: string): void {
    const prompts = this.#prompts.get(tabId) ?? [];
    this.#prompts.set(tabId, prompts);
    if (!prompts.some((prompt) => prompt.messageId === messageId)) prompts.push({ messageId, files: new Map() });
  }

  /** The agent changed a file in the tab's latest turn. */
  changed(tabId: string, path: string, before: FileText, after: FileText): void {
    const prompts = this.#prompts.get(tabId);
    const prompt = prompts?.at(-1);
    if (!prompts || !prompt) return;
    const known = prompt.files.get(path);
    // A file that did not exist before has no text: null must not be taken for "not known".
    prompt.files.set(path, { before: known ? known.before : before, after });
    let size = prompts.reduce((sum, { files }) => sum + sizeOf(files), 0);
    while (size > maxCharsPerTab && prompts.length > 1) size -= sizeOf(prompts.shift()?.files ?? new Map());
  }

  /** The files as they were before that prompt; undefined where the prompt is not known (any more). */
  before(tabId: string, messageId: string): ReadonlyMap<string, CheckpointFile> | undefined {
    const prompts = this.#prompts.get(tabId) ?? [];
    const from = prompts.findIndex((prompt) => prompt.messageId === messageId);
    if (from === -1) return undefined;
    const files = new Map<string, CheckpointFile>();
    for (const prompt of prompts.slice(from)) {
      for (const [path, { before, after }] of prompt.files) {
        const first = files.get(path);
        files.set(path, { before: first ? first.before : before, after });
      }
    }
    return files;
  }

  /** By tab. */
  storeAll(): Record<string, StoredCheckpoints> {
    const stored = [...this.#prompts].map(([tabId, prompts]) => {
      const ofTab = prompts.map(({ messageId, files }) => ({
        messageId,
        files: [...files].map(([path, texts]) => ({ path, ...texts })),
      }));
      return [tabId, ofTab] as const;
    });
    return Object.fromEntries(stored);
  }

  restore(tabId: string, stored: StoredCheckpoints): void {
    this.#prompts.set(
      tabId,
      stored.map(({ messageId, files }) => ({
        messageId,
        files: new Map(files.map(({ path, before, after }) => [path, { before, after }])),
      })),
    );
  }

  tabClosed(tabId: string): void {
    this.#prompts.delete(tabId);
  }
}

function sizeOf(files: ReadonlyMap<string, CheckpointFile>): number {
  let size = 0;
  for (const { before, after } of files.values()) size += (before?.length ?? 0) + (after?.length ?? 0);
  return size;
}
