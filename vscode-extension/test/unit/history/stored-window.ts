import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { newTabState } from "../../../protocol/index.js";
import type { HostedSession } from "../../../src/acp/hosted-sessions.js";
import { ChatTab } from "../../../src/features/chat/chat-tab.js";
import type { StoredTab } from "../../../src/features/chat/chat-tabs.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";
import { ConversationHistory } from "../../../src/features/history/conversation-history.js";
import { StoredConversations } from "../../../src/features/history/stored-conversations.js";
import { TabArchive } from "../../../src/features/history/tab-archive.js";
import { Logger } from "../../../src/features/log/logger.js";

const sessions = new URL("../../../../../core/dist/src/app/cli/sessions.js", import.meta.url);
const script = `
  const { sessions } = await import(${JSON.stringify(sessions.href)});
  process.exitCode = await sessions(process.argv.slice(1)).catch((failure) => {
    process.stderr.write(failure.message + "\\n");
    return 2;
  });`;

type Run = (args: readonly string[]) => Promise<string>;

/** The command, whose configuration is in `folder`. */
export function commandIn(folder: string): Run {
  return async ([, ...words]) => {
    const args = ["--input-type=module", "-e", script, "--", ...words];
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: folder };
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env,
      cwd: fileURLToPath(`file://${folder}`),
    });
    return stdout.trim();
  };
}

interface StoredWindowOptions {
  /** Of the window's own files, and of the configuration. */
  readonly folder: string;
  readonly run?: Run;
  readonly archive?: TabArchive;
  readonly isHosted?: boolean;
  /** Whether the host has a session; default: it has all. */
  readonly inHost?: (sessionId: string) => boolean;
  /** The host's sessions. */
  readonly live?: readonly HostedSession[];
  /** Answers of other machines to `host status`, by machine. */
  readonly elsewhere?: Readonly<Record<string, unknown>>;
}

export function liveSession(sessionId: string, state: string, cwd = "/project"): HostedSession {
  return { sessionId, cwd, state, title: `Live ${sessionId}`, agent: "Codex", updated: 1_700_000_000_000 };
}

/** A window with the archive and the history of its own, and the conversations of `folder`. */
export class StoredWindow implements AsyncDisposable {
  readonly archive: TabArchive;
  readonly store: StoredConversations;
  readonly history: ConversationHistory;
  readonly told: string[] = [];
  readonly tabs: ChatTab[] = [];

  constructor({
    folder,
    run = commandIn(folder),
    archive,
    isHosted = false,
    inHost = () => true,
    live = [],
    elsewhere = {},
  }: StoredWindowOptions) {
    const logger = new Logger({ write: () => undefined });
    this.archive = archive ?? new TabArchive(`${folder}/window`, logger);
    this.store = new StoredConversations({ run }, `${folder}/sessions`);
    this.history = new ConversationHistory({
      archive: this.archive,
      store: this.store,
      tabs: { tabs: this.tabs, whenClosed: () => Promise.resolve() },
      agents: {
        find: () => ({ id: "eliza", name: "Eliza" }),
        findKept: (name) => Promise.resolve(name === "kept-eliza" ? { id: "eliza", name: "Eliza" } : undefined),
        keptName: (id) => `kept-${id}`,
      },
      folder: () => "/project",
      isHosted: () => isHosted,
      hosted: {
        has: (sessionId) => Promise.resolve(inHost(sessionId)),
        list: () => Promise.resolve(live),
        stop: ({ sessionId }) => Promise.resolve(void this.told.push(`stopped ${sessionId}`)),
      },
      commandLine: {
        json: (words, parser) => {
          this.told.push(words.join(" "));
          const parsed = parser.safeParse(elsewhere[words[3] ?? ""]);
          return parsed.success ? Promise.resolve(parsed.data) : Promise.reject(new Error("no route"));
        },
      },
      logger,
      tell: (text) => this.told.push(text),
    });
  }

  open(tabId: string, record: Partial<ChatTab["record"]> = {}): ChatTab {
    const state = { ...newTabState({ id: "eliza", name: "Eliza" }), phase: "ready" as const };
    const transcript = new TabTranscript({ state, items: [], byId: new Map(), terminals: new Map() });
    return this.restore({ record: { tabId, createdAt: 1_700_000_000_000, ...record }, transcript });
  }

  restore({ record, transcript }: StoredTab): ChatTab {
    const tab = new ChatTab(transcript, record, {
      converse: () => Promise.reject(new Error("No agent is needed here.")),
      isUpToDate: () => Promise.resolve(true),
      recordChanged: (changed) => this.archive.recordChanged(changed),
    });
    this.tabs.push(tab);
    this.archive.add(tab);
    return tab;
  }

  async close(tab: ChatTab): Promise<void> {
    this.tabs.splice(this.tabs.indexOf(tab), 1);
    tab.transcript.flush();
    await this.archive.closed(tab);
  }

  async titles(): Promise<readonly string[]> {
    return (await (await this.history.search()).find("")).map(({ past }) => past.title);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.archive[Symbol.asyncDispose]();
  }
}
