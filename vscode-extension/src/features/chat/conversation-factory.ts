import { homedir } from "node:os";
import type { Command, Logger } from "@symposium-dev/core";
import { type AgentConfiguration, configurationKey } from "../../acp/agent-configuration.js";
import type { WindowAgents } from "../../acp/running-agent.js";
import { Conversation } from "../../acp/conversation.js";
import type { AttachmentContent, SignIn } from "../../acp/conversation-parts.js";
import { transcriptHandOff } from "../../acp/past-transcript.js";
import { type SessionObserver, SessionObservers } from "../../acp/session-observers.js";
import { type ChatTab, RestrictedMode } from "./chat-tab.js";

interface ConversationFactoryOptions {
  /** Before a start is put together: asks what only the user may let take part in it. Never rejects. */
  askFirst(): Promise<void>;
  /** How an agent is started for a folder of a tab, as the settings say now. Rejects with what to tell the user. */
  configurationFor(tab: ChatTab, folder: string): Promise<AgentConfiguration>;
  readonly agents: WindowAgents;
  readonly signIn: SignIn;
  readonly toBlocks: AttachmentContent;
  readonly observers: readonly SessionObserver[];
  readonly logger: Logger;
  /** The command for sign-ins in a terminal. */
  command(): Command;
  /** Absolute paths of the workspace's folders, that of the active editor first. */
  folders(): readonly string[];
  chooseFolder(folders: readonly string[]): Promise<string | undefined>;
  isTrusted(): boolean;
  /** Before an agent that has no process yet is started, e.g. to install it. Rejects with what to tell the user. */
  prepare(configuration: AgentConfiguration): Promise<void>;
  /** Whether the folder of a tab that works in one of its own is there. Rejects with what to tell the user. */
  checkPlace(tab: ChatTab): Promise<void>;
  turnEnded(tab: ChatTab, stopReason: string): void;
}

/** Makes the conversations of tabs with the agents that are chosen for them. */
export class ConversationFactory {
  constructor(private readonly options: ConversationFactoryOptions) {}

  /** Rejects where the agent cannot be had, with what to tell the user. */
  async converse(tab: ChatTab): Promise<Conversation> {
    const { options } = this;
    if (!options.isTrusted()) throw new RestrictedMode();
    const folders = this.#foldersOf(tab);
    await options.checkPlace(tab);
    await options.askFirst();
    const configuration = await options.configurationFor(tab, folders[0] ?? homedir());
    await options.prepare(configuration);
    const { sessionId, branch } = tab.record;
    return new Conversation({
      tabId: tab.tabId,
      agent: options.agents.agent(configuration),
      target: tab.transcript,
      folders,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(branch && {
        branch,
        handOff: (cwd: string) => transcriptHandOff(tab.transcript.transcript, tab.tabId, cwd, branch.from?.agentName),
      }),
      isQueueHeld: tab.hasOldQueue,
      command: options.command(),
      signIn: options.signIn,
      toBlocks: options.toBlocks,
      observers: new SessionObservers(options.observers, options.logger),
      logger: options.logger,
      hooks: {
        sessionChanged: (...session) => tab.setSession(...session),
        told: () => tab.told(),
        titled: (title) => tab.setAgentTitle(title),
        turnEnded: (stopReason) => options.turnEnded(tab, stopReason),
      },
      chooseFolder: async (several) => {
        const folder = await options.chooseFolder(several);
        if (folder !== undefined) tab.setFolder(folder);
        return folder;
      },
      now: Date.now,
      newId: () => crypto.randomUUID(),
    });
  }

  /** Whether the settings of now still start the agent in the way it runs. */
  async isUpToDate(tab: ChatTab, { configuration }: Conversation): Promise<boolean> {
    try {
      const now = await this.options.configurationFor(tab, configuration.folder);
      return configurationKey(now) === configurationKey(configuration);
    } catch {
      return false;
    }
  }

  /** The folder that the user has chosen for the tab, or that it was begun in, first, then that of the active editor. */
  #foldersOf(tab: ChatTab): readonly string[] {
    const known = this.options.folders();
    const all = known.length === 0 ? [homedir()] : known;
    const { folder } = tab.record;
    if (folder === undefined) return all;
    // A conversation of another workspace stays in its own folder.
    return all.includes(folder) ? [folder, ...all.filter((one) => one !== folder)] : [folder];
  }
}
