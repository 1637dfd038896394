import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { atomicWrite } from "../../node/atomic-write.js";
import { type KeptLists, parseServerLists, type ServerLists } from "../server-lists.js";

/** More than this is asked for anew each time: the file is read before a session opens. */
const maxBytes = 2 * 1024 * 1024;

/** Lists of last time, a private file for each server, named by a hash of what the server is. */
export class ListFiles implements KeptLists {
  /** `folder` is made at the first need. */
  constructor(
    private readonly folder: string,
    private readonly logger: Logger,
  ) {}

  async read(key: string): Promise<ServerLists | undefined> {
    try {
      return parseServerLists(JSON.parse(await readFile(this.#file(key), "utf8")));
    } catch {
      return undefined; // There is none yet, or somebody else has written there.
    }
  }

  async write(key: string, lists: ServerLists): Promise<void> {
    const text = JSON.stringify(lists);
    if (text.length > maxBytes) return;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await atomicWrite(this.#file(key), text);
    } catch (failure) {
      this.logger.warn("the tools of an MCP server were not kept", { message: messageOf(failure) });
    }
  }

  #file(key: string): string {
    return join(this.folder, `${createHash("sha256").update(key).digest("hex").slice(0, 32)}.json`);
  }
}
