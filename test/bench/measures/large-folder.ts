import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The compiled thread of the snapshots. */
export const snapshotScript = fileURLToPath(import.meta.resolve("#extension/features/snapshots/snapshot-worker.js"));

const fileCount = 10_000;
const filesOfFolder = 100;
const fileBytes = 20_000;
/** More of them than a compression finds again soon, as in sources. */
const words = Array.from({ length: 4_000 }, (_, index) => (index * 2_654_435_761).toString(36));

export interface LargeFolder {
  readonly root: string;
  /** Absolute, a hundred of each folder after the other. */
  readonly files: readonly string[];
  /** Texts of `files`, in the same order. */
  readonly texts: string[];
  /** A text that no file has. */
  readonly nextText: () => string;
}

/** A folder of 10,000 files with 200 MB in all, the same in each run. */
export async function makeLargeFolder(root: string): Promise<LargeFolder> {
  const nextText = textsFrom(1);
  const files: string[] = [];
  const texts: string[] = [];
  for (let index = 0; index < fileCount; index++) {
    const folder = join(root, String(Math.floor(index / filesOfFolder)));
    if (index % filesOfFolder === 0) await mkdir(folder, { recursive: true });
    const file = join(folder, `${index}.txt`);
    const text = nextText();
    await writeFile(file, text);
    files.push(file);
    texts.push(text);
  }
  return { root, files, texts, nextText };
}

/** Other texts each time, and the same ones in each run. */
function textsFrom(seed: number): () => string {
  let state = seed;
  // xorshift32
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => {
    let text = "";
    while (text.length < fileBytes) text += `${words[next() % words.length]}${next() % 12 === 0 ? "\n" : " "}`;
    return text.slice(0, fileBytes);
  };
}
