import { open } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../base/node/temporary-folder.js";
import type { LogPage, RunLog } from "../run-store.js";

/** Creates a log in a temporary file that only this user can read. */
export async function createRunLog(): Promise<RunLog> {
  const folder = await temporaryFolder("symposium-run-");
  const file = await open(join(folder.path, "output.log"), "w+", 0o600);
  let waiting: string[] = [];
  let size = 0;
  let writing = Promise.resolve();
  const write = async (): Promise<void> => {
    const bytes = Buffer.from(waiting.join(""));
    waiting = [];
    await file.write(bytes, 0, bytes.length, size);
    size += bytes.length;
  };
  return {
    append: (text) => {
      // Combines text appended during a write with the next write.
      if (waiting.push(text) === 1) writing = writing.then(write);
      // Ignore write errors here, since `read` reports them.
      writing.catch(() => undefined);
    },
    read: async (offset, limit) => {
      await writing;
      const start = Math.min(offset, size);
      const bytes = Buffer.alloc(Math.min(limit, size - start));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, start);
      return toPage(bytes.subarray(0, bytesRead), start, size);
    },
    [Symbol.asyncDispose]: async () => {
      await writing.catch(() => undefined);
      await file.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

function toPage(bytes: Buffer, offset: number, size: number): LogPage {
  const first = bytes.findIndex((byte) => !isContinuation(byte));
  const start = offset === 0 ? 0 : Math.max(0, first);
  const end = offset + bytes.length < size ? cutAt(bytes) : bytes.length;
  return { text: bytes.toString("utf8", start, end), start: offset + start, end: offset + end, size };
}

/** Returns the length of a page, which ends after its last complete line, or after its last complete character if it has no line break. */
function cutAt(bytes: Buffer): number {
  const lineEnd = bytes.lastIndexOf(0x0a) + 1;
  if (lineEnd > 0) return lineEnd;
  for (let end = bytes.length; end > Math.max(1, bytes.length - 4); end--) {
    const last = bytes[end - 1] ?? 0;
    if (last < 0x80) return end;
    // Exclude the incomplete character at the end.
    if (!isContinuation(last) && end > 1) return end - 1;
  }
  return bytes.length;
}

/** Whether the byte is a continuation byte of a UTF-8 character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
