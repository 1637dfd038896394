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

/** More than this is asked for anew each time: the file is read before a session opens. */
const maxBytes = 2 * 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1_000;
/** What no session has read for so long is forgotten. */
const unusedMs = 90 * dayMs;
/** Its time says when the folder was cleaned. */
const cleanedMark = "cleaned";

/**
 * Lists of last time, a private file for each server, named by a hash of what the server is. Its time says when a session last
 * had it, to the day.
 */
export class ListFiles implements KeptLists {
  /** `folder` is made at the first need. */
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
      this.logger.warn("the tools of an MCP server were not kept", { message: messageOf(failure) });
    }
  }

  /**
   * Forgets, once a day, what no session has read for 90 days, and servers that are in the file no more that named them: of the
   * user's own, `userKeys` are those that there are; undefined where nobody can tell. Never rejects.
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
      // Without the folder there is nothing to clean.
      if (!existsSync(this.folder)) return;
      this.logger.warn("old lists of MCP servers were not removed", { message: messageOf(failure) });
    }
  }

  #file(key: string): string {
    return join(this.folder, fileNameOf(key));
  }
}

function fileNameOf(key: string): string {
  return `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`;
}

/** In milliseconds since 1970; 0 for a file that is not there. */
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
  // A project's file may name it still, or not: only where it is gone, so is the server.
  return typeof namedBy === "string" && !existsSync(namedBy);
}

async function parsed(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch {
    return undefined;
  }
}
