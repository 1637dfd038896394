import { constants } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventFile } from "../project-runs.js";

/** A run of a hundred thousand tests writes about 20 MiB. */
const usualMaxBytes = 64 * 1024 * 1024;

/**
 * A file that reporters write, in a folder of its own, which disposing removes. The code that is tested can write it, too: of
 * more than `maxBytes`, begin and end are read, with a notice between them; what is no plain file is not read at all.
 */
export async function createEventFile(maxBytes = usualMaxBytes): Promise<EventFile> {
  const folder = await mkdtemp(join(tmpdir(), "symposium-tests-"));
  const path = join(folder, "events.jsonl");
  return {
    path,
    read: () => readEvents(path, maxBytes).catch(() => ""),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

async function readEvents(path: string, maxBytes: number): Promise<string> {
  // Neither a link to elsewhere, nor a pipe that nobody writes.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  const file = await open(path, (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return "";
    if (facts.size <= maxBytes) return await readAt(file, 0, facts.size);
    const half = Math.floor(maxBytes / 2);
    const [begin, end] = [await readAt(file, 0, half), await readAt(file, facts.size - half, half)];
    const left = `${facts.size - 2 * half} of ${facts.size} bytes of what the reporter wrote were not read: there are more tests than are counted here`;
    return `${begin}\n${JSON.stringify({ event: "notice", text: left })}\n${end}`;
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.toString("utf8", 0, filled);
}
