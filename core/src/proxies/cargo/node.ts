import { mkdtemp, open, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Watchdog } from "../../node/watchdog.js";
import { runCargo } from "../../cargo/node/run-cargo.js";
import type { CargoServices, LogPage, RunLog } from "./services.js";

interface CargoServicesOptions {
  /** Ends what is started here when this process is killed. */
  readonly watchdog: Watchdog;
  /** What cargo inherits; this process's own environment by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** From SIGTERM to SIGKILL; default 2 s. */
  readonly terminationMs?: number;
  /** A run that writes more is ended; default 64 MiB. */
  readonly maxOutputBytes?: number;
}

const defaultTerminationMs = 2_000;
const defaultMaxOutputBytes = 64 * 1024 * 1024;

/** Cargo on this machine. */
export function cargoServices(options: CargoServicesOptions): CargoServices {
  const {
    watchdog,
    env = process.env,
    terminationMs = defaultTerminationMs,
    maxOutputBytes = defaultMaxOutputBytes,
  } = options;
  return {
    folder: async (base, path) => {
      const folder = resolve(base, path);
      return (await isFolder(folder)) ? folder : undefined;
    },
    run: (command, limits) => runCargo(command, limits, { watchdog, env, terminationMs, maxOutputBytes }),
    createLog: createRunLog,
  };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A log in a temporary file that only this user can read. */
export async function createRunLog(): Promise<RunLog> {
  const folder = await mkdtemp(join(tmpdir(), "symposium-cargo-"));
  const file = await open(join(folder, "output.log"), "w+", 0o600);
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
      // What is appended while a write is under way goes out together with the next.
      if (waiting.push(text) === 1) writing = writing.then(write);
      // Whoever reads hears of a full disk.
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
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toPage(bytes: Buffer, offset: number, size: number): LogPage {
  const first = bytes.findIndex((byte) => !isContinuation(byte));
  const start = offset === 0 ? 0 : Math.max(0, first);
  const end = offset + bytes.length < size ? cutAt(bytes) : bytes.length;
  return { text: bytes.toString("utf8", start, end), start: offset + start, end: offset + end, size };
}

/** Where a page that does not reach the end of the log ends: after its last whole line, else after its last whole character. */
function cutAt(bytes: Buffer): number {
  const lineEnd = bytes.lastIndexOf(0x0a) + 1;
  if (lineEnd > 0) return lineEnd;
  for (let end = bytes.length; end > Math.max(1, bytes.length - 4); end--) {
    const last = bytes[end - 1] ?? 0;
    if (last < 0x80) return end;
    // The page ends before the character that starts here.
    if (!isContinuation(last) && end > 1) return end - 1;
  }
  return bytes.length;
}

/** Not the first byte of a character in UTF-8. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
