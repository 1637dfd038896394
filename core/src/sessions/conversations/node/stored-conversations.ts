import { join } from "node:path";
import type { ConversationStore, KeptConversation, WholeConversation } from "../conversation-store.js";
import { HiddenSessions } from "./hidden-sessions.js";
import { listSessions, sessionEnding } from "./session-index.js";
import { windowsOf } from "./stored-lines.js";

interface KeptConversationsOptions {
  readonly folder: string;
  readonly keeps: () => Promise<boolean>;
  /** Resolves when the conversations of this process are written to disk. */
  readonly settled: () => Promise<void>;
}

/** Reads the conversations in a folder, including those of other processes. */
export class StoredConversations implements ConversationStore {
  readonly #hidden: HiddenSessions;

  constructor(private readonly options: KeptConversationsOptions) {
    this.#hidden = new HiddenSessions(options.folder);
  }

  keeps(): Promise<boolean> {
    return this.options.keeps();
  }

  async list(): Promise<readonly KeptConversation[]> {
    await this.options.settled();
    return listSessions(this.options.folder);
  }

  hidden(agent: string): Promise<ReadonlySet<string>> {
    return this.#hidden.of(agent);
  }

  hide(agent: string, session: string, standsFor?: string): Promise<void> {
    return this.#hidden.add(agent, session, standsFor);
  }

  standIn(agent: string, session: string): Promise<string | undefined> {
    return this.#hidden.standIn(agent, session);
  }

  async find(session: string, agent: string, cwd?: string): Promise<WholeConversation | undefined> {
    await this.options.settled();
    const { folder } = this.options;
    const all = (await listSessions(folder)).filter((one) => one.session === session && one.agent === agent);
    const found = all.find((one) => one.cwd === cwd) ?? all[0];
    if (!found) return undefined;
    const file = join(folder, `${found.id}${sessionEnding}`);
    return { ...found, windows: () => windowsOf(file) };
  }
}
