import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as others } from "node:timers/promises";
import type { TurnNotice } from "../base/acp/turn-notice.js";
import type { ConversationStore } from "../sessions/conversations/conversation-store.js";
import { faultNotice, keptNotice } from "../sessions/conversations/recording-notice.js";
import { StoredConversations } from "../sessions/conversations/node/stored-conversations.js";
import { SessionFolder } from "../sessions/conversations/node/session-folder.js";
import { SessionRecorder } from "../sessions/conversations/session-recorder.js";
import { together } from "../sessions/conversations/session-log.js";
import type { Telemetry } from "../sessions/telemetry/telemetry.js";
import { UsageCounter } from "../sessions/usage/usage-counter.js";
import { UsageFile } from "../sessions/usage/node/usage-file.js";
import { SuppliedSessions } from "../sessions/conversations/supplied-sessions.js";
import { configFolder } from "../base/node/own-program.js";
import { FlowGate } from "../base/flow-gate.js";
import type { LineChannel } from "../base/line-channel-contract.js";
import { Logger } from "../base/logger.js";
import { isExistingPath } from "../base/secrets/node/existing-path.js";
import { KnownSecrets } from "../base/secrets/known-secrets.js";
import { type ConversationSettings, defaultConversationSettings } from "../settings/conversation-settings.js";
import { tightenedConversations } from "../settings/managed-policy/managed-policy.js";
import { systemPolicy } from "../settings/managed-policy/node/system-policy.js";
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

export function sessionsFolder(): string {
  return join(configFolder(), "sessions");
}

export function usageFile(): string {
  return join(configFolder(), "usage.json");
}

/** Conversations and usage recorded by this process. Disposing writes pending data. */
export class RecordedConversations implements AsyncDisposable {
  readonly secrets = new KnownSecrets({ isExistingPath });
  readonly store: ConversationStore;
  #isKept = false;
  #isNoticeSaid = false;
  /** Reason why the disk refused a conversation, until an editor shows it. */
  #fault: string | undefined;
  readonly #folder: SessionFolder;
  readonly #usage: UsageFile;
  #counted: UsageCounter;
  #telemetry: Telemetry | undefined;

  /** `notice` receives a line to show a terminal user once. If absent, the line goes to stderr, which users rarely read. */
  constructor(logger: Logger, notice?: (line: string) => void) {
    const folder = sessionsFolder();
    const print = (line: string): void => void process.stderr.write(`${line}\n`);
    this.#folder = new SessionFolder({
      folder,
      settings: () => conversationSettings(logger),
      mask: (text) => this.secrets.mask(text),
      onFirst: () => {
        // A user who read the notice here doesn't get it again in an editor.
        if (notice) this.#folder.claimNotice();
        if (!this.#isNoticeSaid) (notice ?? print)(noticeLine(folder));
      },
      onFault: (message) => {
        logger.error("a conversation could not be stored", { folder, message });
        // Users of a terminal don't see the log, and those of an editor rarely.
        if (notice) notice(`symposium-acp-agent: this conversation could not be stored in \`${folder}\`: ${message}`);
        else this.#fault = message;
      },
    });
    this.#usage = new UsageFile(
      usageFile(),
      logger.child("usage"),
      // Errors are reported where conversations are read, so this logger is silent.
      async () => (await conversationSettings(new Logger(() => undefined))).keep,
    );
    this.#counted = new UsageCounter(this.#usage);
    this.store = new StoredConversations({
      folder,
      keeps: async () => (await conversationSettings(logger)).keep,
      settled: () => this.#folder.settled(),
    });
  }

  /** Determines in advance whether conversations are recorded, so that editors get an immediate answer. */
  async findOut(): Promise<void> {
    // Errors are reported when a session opens, so this logger is silent.
    this.#isKept = (await conversationSettings(new Logger(() => undefined))).keep;
  }

  /**
   * Returns the recording notice before the user's first conversation. Undefined if conversations already exist or recording is off. The
   * notice isn't repeated.
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
   * Supplies session features that the agent lacks, based on recordings stored under the name `agent`. The features are announced to the
   * editor only if recording is on. `channel` is the editor's channel; `editorIdOf` returns the editor's id of a session.
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

  /** Sends telemetry of the sessions that are opened from now on. */
  observeWith(telemetry: Telemetry): void {
    this.#telemetry = telemetry;
    this.#counted = new UsageCounter(this.#usage, Date.now, telemetry);
  }

  recorder(agentOf: (sessionId: string) => string): SessionRecorder {
    const counted = together(this.#folder, this.#counted);
    return new SessionRecorder(this.#telemetry ? together(counted, this.#telemetry) : counted, {
      agentOf,
      learn: (message) => this.secrets.learnFrom(message),
      learnSecret: (answer) => this.secrets.learnSecret(answer),
    });
  }

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

  faultNotice(): TurnNotice {
    return faultNotice(() => {
      const fault = this.#fault;
      this.#fault = undefined;
      return fault;
    });
  }

  noteContinued(
    session: string,
    continued: { readonly conversation: string; readonly turn: number },
    title: string,
  ): void {
    this.#folder.noteContinued(session, continued, title);
  }

  /** Writes pending messages immediately if the disk is known to be fast. */
  writeNow(): void {
    this.#folder.writeNow();
  }

  settled(): Promise<void> {
    return this.#folder.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#folder[Symbol.asyncDispose]();
    await this.#counted[Symbol.asyncDispose]();
    await this.#usage[Symbol.asyncDispose]();
  }
}

/**
 * Reads the recording settings at the first session: those in config.jsonc, with the organisation's limits. Recording is off while
 * config.jsonc can't be read.
 */
export async function conversationSettings(logger: Logger): Promise<ConversationSettings> {
  return tightenedConversations(await systemPolicy(), await userConversationSettings(logger));
}

async function userConversationSettings(logger: Logger): Promise<ConversationSettings> {
  // Import the module only when needed, since `run-with` starts without a configuration.
  const { readConfiguration } = await import("./read-user-config.js");
  const state = await readConfiguration();
  if (state.state === "absent") return defaultConversationSettings;
  const isBroken = state.state === "broken";
  const problem = state.problems.find(({ severity, path }) =>
    isBroken ? severity === "error" : path[0] === "conversations",
  );
  const settings = isBroken ? { ...defaultConversationSettings, keep: false } : state.config.settings.conversations;
  if (problem && !settings.keep) {
    logger.error("conversations are not stored, because the configuration can't be read", {
      problem: formatProblem(problem, state.file),
    });
  }
  return settings;
}

function noticeLine(folder: string): string {
  return `symposium-acp-agent: ${noticeText(folder)}`;
}

/** Returns the recording notice as Markdown that is also readable as plain text. */
function noticeText(folder: string): string {
  return (
    `your conversations are stored in \`${folder}\`, readable only by you, for ${defaultConversationSettings.days} days unless ` +
    'config.jsonc sets another limit. To turn this off, set `"conversations": { "keep": false }` there. `symposium-acp-agent ' +
    "sessions` shows and deletes them."
  );
}

export async function keptSessions(
  store: ConversationStore,
  params: Json | undefined,
  isWanted: (agent: string) => boolean,
): ReturnType<NonNullable<ChainsOptions["kept"]>> {
  const { sessions, nextCursor } = await listedSessions(store, params, ({ agent }) => isWanted(agent));
  return { sessions: sessions.map((session) => Json.of(session)), nextCursor };
}

/** Looks up the agent of a stored session before the session is loaded, unless `known` contains it. */
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
    // If the store is unreadable, forwards the request as if no agent were stored.
    return undefined;
  }
}
