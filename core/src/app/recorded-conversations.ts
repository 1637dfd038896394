import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { TurnNotice } from "../base/acp/turn-notice.js";
import type { ConversationStore } from "../sessions/conversations/conversation-store.js";
import { keptNotice } from "../sessions/conversations/recording-notice.js";
import { StoredConversations } from "../sessions/conversations/node/stored-conversations.js";
import { SessionFolder } from "../sessions/conversations/node/session-folder.js";
import { SessionRecorder } from "../sessions/conversations/session-recorder.js";
import { together } from "../sessions/conversations/session-log.js";
import { UsageCounter } from "../sessions/usage/usage-counter.js";
import { UsageFile } from "../sessions/usage/node/usage-file.js";
import { SuppliedSessions } from "../sessions/conversations/supplied-sessions.js";
import { configFolder } from "../base/node/own-program.js";
import { FlowGate } from "../base/flow-gate.js";
import type { LineChannel } from "../base/line-channel.js";
import { Logger } from "../base/logger.js";
import { isExistingPath } from "../base/secrets/node/existing-path.js";
import { KnownSecrets } from "../base/secrets/known-secrets.js";
import { type ConversationSettings, defaultConversationSettings } from "../settings/conversation-settings.js";
import { formatProblem } from "../base/problem.js";
import { extensionName } from "../base/node/product-version.js";
import { acpMethods, isSessionSetup } from "../base/acp/methods.js";
import { sessionIdOf } from "../base/acp/session-message.js";
import type { ChainsOptions } from "../conductor/choices/chains.js";
import type { KnownSessions } from "../conductor/choices/known-sessions.js";
import { listedSessions } from "../sessions/conversations/listed-sessions.js";
import { Json } from "../base/rpc/json.js";
import type { Request } from "../base/rpc/message.js";
import { deferredRequest, type Peer } from "../base/rpc/peer.js";

/** Where the conversations of this user are. */
export function sessionsFolder(): string {
  return join(configFolder(), "sessions");
}

/** Where the figures are of what agents came to. */
export function usageFile(): string {
  return join(configFolder(), "usage.json");
}

/** The conversations that this process keeps, and what they come to in numbers. Disposing it writes what is left. */
export class RecordedConversations implements AsyncDisposable {
  /** What nobody's words may repeat. */
  readonly secrets = new KnownSecrets({ isExistingPath });
  /** What is kept, by whichever process. */
  readonly store: ConversationStore;
  #isKept = false;
  #isNoticeSaid = false;
  readonly #folder: SessionFolder;
  readonly #usage: UsageFile;
  readonly #counted: UsageCounter;

  /** `notice` takes a line that the user at a terminal is told once; else it goes to stderr, which hardly anybody reads. */
  constructor(logger: Logger, notice?: (line: string) => void) {
    const folder = sessionsFolder();
    const print = (line: string): void => void process.stderr.write(`${line}\n`);
    this.#folder = new SessionFolder({
      folder,
      settings: () => conversationSettings(logger),
      mask: (text) => this.secrets.mask(text),
      onFirst: () => {
        // Where it was read, no editor says it again.
        if (notice) this.#folder.claimNotice();
        if (!this.#isNoticeSaid) (notice ?? print)(noticeLine(folder));
      },
      onFault: (message) => {
        logger.error("a conversation is not kept", { folder, message });
        // A terminal's user has no log.
        notice?.(`symposium-acp-agent: this conversation is not kept in \`${folder}\`: ${message}`);
      },
    });
    this.#usage = new UsageFile(
      usageFile(),
      logger.child("usage"),
      // Why it cannot be read is said for the conversations.
      async () => (await conversationSettings(new Logger(() => undefined))).keep,
    );
    this.#counted = new UsageCounter(this.#usage);
    this.store = new StoredConversations({
      folder,
      keeps: async () => (await conversationSettings(logger)).keep,
      settled: () => this.#folder.settled(),
    });
  }

  /** Finds out whether conversations are kept, which editors hear at once when they ask. */
  async findOut(): Promise<void> {
    // Why that cannot be read is said when a session is opened.
    this.#isKept = (await conversationSettings(new Logger(() => undefined))).keep;
  }

  /**
   * The line that says that conversations are kept, for a user who is about to begin the first one. Undefined if some were kept
   * before, or none are. The line is not said again.
   */
  async noticeBeforeFirst(): Promise<string | undefined> {
    const folder = sessionsFolder();
    if (existsSync(folder)) return undefined;
    await this.findOut();
    if (!this.#isKept) return undefined;
    this.#isNoticeSaid = true;
    return noticeLine(folder);
  }

  /**
   * Does from what is kept what `agent`, by the name under which conversations with it are kept, cannot do by itself with
   * sessions, which the editor hears of where conversations are kept. `channel` is the editor's. `editorIdOf` says what the editor calls a session.
   */
  supplied(
    agent: string,
    channel: LineChannel | undefined,
    editorIdOf?: (sessionId: string) => string,
  ): SuppliedSessions {
    const gate = new FlowGate(channel);
    return new SuppliedSessions({
      store: this.store,
      isAnnounced: this.#isKept,
      agent,
      editorIdOf,
      pause: async () => {
        await others();
        await gate.drained();
      },
    });
  }

  /** Both sides of an editor's edge: what passes between them is kept. `agentOf` names the agent of a session. */
  recorder(agentOf: (sessionId: string) => string): SessionRecorder {
    return new SessionRecorder(together(this.#folder, this.#counted), {
      agentOf,
      learn: (message) => this.secrets.learnFrom(message),
      learnSecret: (answer) => this.secrets.learnSecret(answer),
    });
  }

  /** Says to the user of an editor, once, that conversations are kept. */
  notice(): TurnNotice {
    return keptNotice({
      text: noticeText(sessionsFolder()),
      tellers: [extensionName],
      isKept: (sessionId) => {
        this.#folder.writeNow();
        return this.#folder.isKept(sessionId);
      },
      claim: () => this.#folder.claimNotice(),
    });
  }

  /** A session that is open goes on with a conversation of that title from here on. */
  noteContinued(
    session: string,
    continued: { readonly conversation: string; readonly turn: number },
    title: string,
  ): void {
    this.#folder.noteContinued(session, continued, title);
  }

  /** Writes what came until now, where the disk is known to take it at once. */
  writeNow(): void {
    this.#folder.writeNow();
  }

  /** Resolves when everything is written that came until now. */
  settled(): Promise<void> {
    return this.#folder.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
    await this.#counted[Symbol.asyncDispose]();
    await this.#usage[Symbol.asyncDispose]();
  }
}

/** As config.jsonc has them when the first session is opened; nothing is kept while they cannot be read. */
export async function conversationSettings(logger: Logger): Promise<ConversationSettings> {
  // Only here: `run-with` starts without a configuration.
  const { readConfiguration } = await import("./configuration.js");
  const state = await readConfiguration();
  if (state.state === "absent") return defaultConversationSettings;
  const isBroken = state.state === "broken";
  const problem = state.problems.find(({ severity, path }) =>
    isBroken ? severity === "error" : path[0] === "conversations",
  );
  const settings = isBroken ? { ...defaultConversationSettings, keep: false } : state.config.settings.conversations;
  if (problem && !settings.keep) {
    logger.error("conversations are not kept: the configuration cannot be read", {
      problem: formatProblem(problem, state.file),
    });
  }
  return settings;
}

function noticeLine(folder: string): string {
  return `symposium-acp-agent: ${noticeText(folder)}`;
}

/** Markdown that reads as plain text, too. */
function noticeText(folder: string): string {
  return (
    `your conversations are kept in \`${folder}\`, for you alone, for ${defaultConversationSettings.days} days ` +
    'unless config.jsonc says otherwise. `"conversations": { "keep": false }` there switches it off; ' +
    "`symposium-acp-agent sessions` shows and deletes them."
  );
}

/** Answers `session/list` with the stored conversations of the agents that `isWanted` accepts. */
export async function keptSessions(
  store: ConversationStore,
  params: Json | undefined,
  isWanted: (agent: string) => boolean,
): ReturnType<NonNullable<ChainsOptions["kept"]>> {
  const { sessions, nextCursor } = await listedSessions(store, params, ({ agent }) => isWanted(agent));
  return { sessions: sessions.map((session) => Json.of(session)), nextCursor };
}

/** Looks up the agent of a stored session before that session comes back, unless it is among the `known` ones. */
export function keptAgents(known: KnownSessions, store: ConversationStore): { towardAgent(agent: Peer): Peer } {
  return {
    towardAgent: (agent) => ({
      notify: (notification) => agent.notify(notification),
      request: (asked, reply) => {
        const id = isReturn(asked) ? sessionIdOf(asked.params) : undefined;
        if (id === undefined || known.agentOf(id) !== undefined) return agent.request(asked, reply);
        return deferredRequest(agentIn(store, id), (found) => {
          if (found !== undefined) known.add(id, id, found);
          return agent.request(asked, reply);
        });
      },
    }),
  };
}

function isReturn({ method }: Request): boolean {
  return method === acpMethods.sessionDelete || (isSessionSetup(method) && method !== acpMethods.sessionNew);
}

async function agentIn(store: ConversationStore, id: string): Promise<string | undefined> {
  try {
    const sessions = (await store.keeps()) ? await store.list() : [];
    return sessions.find(({ session }) => session === id)?.agent;
  } catch {
    // An unreadable store names no agent: the request is passed on as if there were none.
    return undefined;
  }
}
