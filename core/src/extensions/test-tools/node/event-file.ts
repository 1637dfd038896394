import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import type { EventFile } from "../project-runs.js";

/** Maximum bytes of an event file. Large enough for 100,000 tests, which write about 20 MiB. */
const usualMaxBytes = 64 * 1024 * 1024;

/**
 * Creates an event file for reporters in a temporary folder, which disposing deletes. Since the tested code can write to the file, only
 * regular files are read, and from files larger than `maxBytes` only the start and end, with a notice.
 */
export async function createEventFile(maxBytes = usualMaxBytes): Promise<EventFile> {
  const folder = await temporaryFolder("symposium-tests-");
  const path = join(folder.path, "events.jsonl");
  return { ...folder, path, read: () => readEvents(path, maxBytes).catch(() => "") };
}

async function readEvents(path: string, maxBytes: number): Promise<string> {
  // These flags reject links, and prevent waiting for a pipe that nobody writes to.
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants as Partial<typeof constants>;
  const file = await open(path, (O_RDONLY ?? 0) | O_NOFOLLOW | O_NONBLOCK);
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return "";
    if (facts.size <= maxBytes) return await readAt(file, 0, facts.size);
    const half = Math.floor(maxBytes / 2);
    const [begin, end] = [await readAt(file, 0, half), await readAt(file, facts.size - half, half)];
    const left = `${facts.size - 2 * half} of ${facts.size} bytes of the reporter's output were not read: some tests aren't counted here`;
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
