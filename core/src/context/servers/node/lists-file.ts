import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { atomicWrite } from "../../../base/node/atomic-write.js";
import { FileLock } from "../../../base/node/file-lock.js";
import { asObject } from "../../../base/rpc/json.js";
import type { ServerOrigin } from "../../../settings/user-server.js";
import { type KeptLists, parseServerLists, type ServerLists } from "../server-lists.js";

/** Maximum file size. Larger lists are requested from the server again, since this file is read before a session opens. */
const maxBytes = 2 * 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
/** Lists that no session has read for this many milliseconds are deleted. */
const unusedMs = 90 * dayMs;
/** File whose modification time is the last cleaning time. */
const cleanedMark = "cleaned";

/**
 * Cache of the lists that servers returned in earlier sessions. Each server has a private file named by a hash of the server's key; the
 * file's modification time is the last use, accurate to a day.
 */
export class ListFiles implements KeptLists {
  /** `folder` is the cache's folder, which is created when first needed. */
  constructor(
    private readonly folder: string,
    private readonly logger: Logger,
  ) {}

  async read(key: string): Promise<ServerLists | undefined> {
    const file = this.#file(key);
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
      if (Date.now() - mtimeMs > dayMs) await utimes(file, new Date(), new Date()).catch(() => undefined);
      return parseServerLists(JSON.parse(text));
    } catch {
      return undefined; // There is none yet, or somebody else has written there.
    }
  }

  async write(key: string, lists: ServerLists, origin?: ServerOrigin): Promise<void> {
    const text = JSON.stringify({ ...lists, origin });
    if (text.length > maxBytes) return;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await using _lock = await FileLock.take(this.folder);
      await atomicWrite(this.#file(key), text);
    } catch (failure) {
      this.logger.warn("couldn't store the tools of an MCP server", { message: messageOf(failure) });
    }
  }

  /**
   * Deletes lists unused for 90 days, and lists of servers whose file no longer exists; runs once a day. `userKeys` are the keys of the
   * user's current servers; undefined if unknown. Never rejects.
   */
  async clean(userKeys: readonly string[] | undefined): Promise<void> {
    try {
      if (Date.now() - (await timeOf(join(this.folder, cleanedMark))) < dayMs) return;
      await using _lock = await FileLock.take(this.folder);
      const present = userKeys && new Set(userKeys.map(fileNameOf));
      for (const name of await readdir(this.folder)) {
        const file = join(this.folder, name);
        if (name.endsWith(".json") && (await isForgotten(file, name, present))) await rm(file, { force: true });
      }
      await writeFile(join(this.folder, cleanedMark), "");
    } catch (failure) {
      // A missing folder isn't an error.
      if (!existsSync(this.folder)) return;
      this.logger.warn("couldn't remove old MCP server lists", { message: messageOf(failure) });
    }
  }

  #file(key: string): string {
    return join(this.folder, fileNameOf(key));
  }
}

function fileNameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`;
}

/** Returns the file's modification time in milliseconds since 1970; 0 if the file doesn't exist. */
async function timeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

async function isForgotten(file: string, name: string, present: ReadonlySet<string> | undefined): Promise<boolean> {
  if (Date.now() - (await timeOf(file)) > unusedMs) return true;
  const { kind, file: namedBy } = asObject(asObject(await parsed(file))?.["origin"]) ?? {};
  if (kind === "user") return present?.has(name) === false;
  // A project file that exists may still list the server, so a list is obsolete only if the project file was removed.
  return typeof namedBy === "string" && !existsSync(namedBy);
}

async function parsed(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}
