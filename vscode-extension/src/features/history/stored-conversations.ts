import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  configFolder,
  conversationRecords,
  deletedAt,
  hitsIn,
  listSessions,
  type StoredSession,
  systemCode,
} from "@symposium-dev/core/node";
import type { TabState, Transcript } from "../../../protocol/index.js";
import { storedTranscript } from "../../acp/stored-transcript.js";
import { TimeSlices } from "../../acp/time-slices.js";
import type { CommandLine } from "../agents/command-line.js";

/**
 * The conversations of this user with all agents, in whichever editor or terminal they were. They are read here, and the command
 * alone writes them.
 */
export class StoredConversations {
  readonly #slices = new TimeSlices();

  constructor(
    private readonly command: Pick<CommandLine, "run">,
    private readonly folder = join(configFolder(), "sessions"),
  ) {}

  /** Those in which something was said, the one that was used last first. */
  async list(): Promise<readonly StoredSession[]> {
    return (await listSessions(this.folder)).filter(({ turns }) => turns > 0);
  }

  /** All that are kept of a session, the one that was used last first. */
  async ofSession(session: string): Promise<readonly StoredSession[]> {
    return (await this.list()).filter((one) => one.session === session);
  }

  /** Whether that one was kept, and was deleted by whoever; false while that cannot be known. */
  async isDeleted(id: string): Promise<boolean> {
    const folder = await stat(this.folder).catch(() => undefined);
    if (folder?.isDirectory() !== true) return false;
    return stat(join(this.folder, `${id}.jsonl`)).then(
      () => false,
      (fault: unknown) => systemCode(fault) === "ENOENT",
    );
  }

  /** Whether a user has deleted, after that time, all that was kept of a session with an agent, by the name under which it is kept. */
  async wasDeleted(agent: string, session: string, since: number): Promise<boolean> {
    const at = await deletedAt(this.folder, agent, session);
    if (at === undefined || at < since) return false;
    return !(await listSessions(this.folder)).some((one) => one.session === session);
  }

  /** What stands around the first place of the first of `words` in what was said or done; undefined where one of them is nowhere. */
  async excerpt(id: string, words: readonly string[]): Promise<string | undefined> {
    // Many short files would keep the window from other things, too.
    if (this.#slices.isOver) await this.#slices.next();
    const [hit] = await hitsIn(this.folder, id, words, 1).catch(() => []);
    return hit?.excerpt;
  }

  /** As a tab shows it; undefined where it cannot be read, or was deleted. */
  async transcript(id: string, state: TabState): Promise<Transcript | undefined> {
    try {
      return await storedTranscript(conversationRecords(this.folder, id), state);
    } catch {
      return undefined;
    }
  }

  /** Keeps the conversation of a file, and resolves with its id. Rejects where nothing is to be kept, in the words of the command. */
  import(file: string): Promise<string> {
    return this.command.run(["sessions", "import", file]);
  }

  /** Rejects where it is open somewhere, in the words of the command. */
  async rename(id: string, title: string): Promise<void> {
    await this.command.run(["sessions", "rename", "--", id, title]);
  }

  /** Rejects where one of them is open somewhere, in the words of the command. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.command.run(["sessions", "delete", ...ids]);
  }
}
