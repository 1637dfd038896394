import { stat } from "node:fs/promises";
import { join } from "node:path";
import {
  archivedIn,
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
import type { SubcommandRunner } from "../agents/subcommand-runner.js";

/** The user's conversations with all agents from all editors and terminals. This class only reads them; only the command writes. */
export class StoredConversations {
  readonly #slices = new TimeSlices();

  constructor(
    private readonly command: Pick<SubcommandRunner, "run">,
    private readonly folder = join(configFolder(), "sessions"),
  ) {}

  /** Returns conversations with at least one turn, last used first. */
  async list(): Promise<readonly StoredSession[]> {
    return (await listSessions(this.folder)).filter(({ turns }) => turns > 0);
  }

  /** Returns a function that tells whether a conversation is archived. */
  archived(): ReturnType<typeof archivedIn> {
    return archivedIn(this.folder);
  }

  /** Archives stored conversations, or moves them out of the archive. */
  async archive(ids: readonly string[], isArchived: boolean): Promise<void> {
    if (ids.length > 0) await this.command.run(["sessions", isArchived ? "archive" : "unarchive", ...ids]);
  }

  async ofSession(session: string): Promise<readonly StoredSession[]> {
    return (await this.list()).filter((one) => one.session === session);
  }

  /** Returns whether a stored conversation was deleted; false if unknown. */
  async isDeleted(id: string): Promise<boolean> {
    const folder = await stat(this.folder).catch(() => undefined);
    if (folder?.isDirectory() !== true) return false;
    return stat(join(this.folder, `${id}.jsonl`)).then(
      () => false,
      (fault: unknown) => systemCode(fault) === "ENOENT",
    );
  }

  /** Returns whether the user deleted a session's stored conversations after `since`. `agent` is the agent's name in the store. */
  async wasDeleted(agent: string, session: string, since: number): Promise<boolean> {
    const at = await deletedAt(this.folder, agent, session);
    if (at === undefined || at < since) return false;
    return !(await listSessions(this.folder)).some((one) => one.session === session);
  }

  /** Returns an excerpt around the first match of `words[0]`; undefined if a word doesn't occur. */
  async excerpt(id: string, words: readonly string[]): Promise<string | undefined> {
    // Yield between files, because searching many short files could also block the window.
    if (this.#slices.isOver) await this.#slices.next();
    const [hit] = await hitsIn(this.folder, id, words, 1).catch(() => []);
    return hit?.excerpt;
  }

  /** Returns a tab's transcript, or undefined if the conversation is unreadable or deleted. */
  async transcript(id: string, state: TabState): Promise<Transcript | undefined> {
    try {
      return await storedTranscript(conversationRecords(this.folder, id), state);
    } catch {
      return undefined;
    }
  }

  /** Imports a conversation from a file and returns its id. Rejects with the command's message if the store is off. */
  import(file: string): Promise<string> {
    return this.command.run(["sessions", "import", file]);
  }

  /** Renames a stored conversation. Rejects with the command's message if the conversation is open elsewhere. */
  async rename(id: string, title: string): Promise<void> {
    await this.command.run(["sessions", "rename", "--", id, title]);
  }

  /** Deletes stored conversations. Rejects with the command's message if one of them is open elsewhere. */
  async delete(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.command.run(["sessions", "delete", ...ids]);
  }
}
