import { homedir } from "node:os";
import type { Command, Logger } from "@symposium-dev/core";
import { type AgentConfiguration, configurationKey } from "../../acp/agent-configuration.js";
import type { WindowAgents } from "../../acp/running-agent.js";
import { Conversation } from "../../acp/conversation.js";
import type { AttachmentContent, SignIn } from "../../acp/conversation-parts.js";
import { transcriptHandOff } from "../../acp/past-transcript.js";
import { type SessionObserver, SessionObservers } from "../../acp/session-observers.js";
import { machineConfiguration } from "../other-machines/remote-agent-configuration.js";
import { type ChatTab, RestrictedMode } from "./chat-tab.js";

interface ConversationFactoryOptions {
  /** Asks for consent to extensions before a start is configured. Never rejects. */
  askFirst(): Promise<void>;
  /** Returns how to start an agent in a tab's folder with the current settings. Rejects with a message for the user. */
  configurationFor(tab: ChatTab, folder: string): Promise<AgentConfiguration>;
  readonly agents: WindowAgents;
  readonly signIn: SignIn;
  readonly toBlocks: AttachmentContent;
  readonly observers: readonly SessionObserver[];
  readonly logger: Logger;
  command(): Command;
  /** Returns absolute paths of the workspace folders, the active editor's first. */
  folders(): readonly string[];
  chooseFolder(folders: readonly string[]): Promise<string | undefined>;
  isTrusted(): boolean;
  /** Runs before a new agent process starts, e.g. to install the agent. Rejects with a message for the user. */
  prepare(configuration: AgentConfiguration): Promise<void>;
  /** Checks that the tab's own folder exists, if it has one. Rejects with a message for the user. */
  checkPlace(tab: ChatTab): Promise<void>;
  turnEnded(tab: ChatTab, stopReason: string): void;
}

export class ConversationFactory {
  constructor(private readonly options: ConversationFactoryOptions) {}

  /** Creates a tab's conversation. Rejects with a message for the user if the agent isn't available. */
  async converse(tab: ChatTab): Promise<Conversation> {
    const { options } = this;
    if (!options.isTrusted()) throw new RestrictedMode();
    const folders = this.#foldersOf(tab);
    await options.checkPlace(tab);
    if (!tab.record.machine) await options.askFirst();
    const configuration = await this.#configurationFor(tab, folders[0] ?? homedir());
    if (!configuration.machine) await options.prepare(configuration);
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
      // Edits, terminals and paths on another machine aren't those of this machine.
      observers: new SessionObservers(configuration.machine ? [] : options.observers, options.logger),
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

  async isUpToDate(tab: ChatTab, { configuration }: Conversation): Promise<boolean> {
    try {
      const now = await this.#configurationFor(tab, configuration.folder);
      return configurationKey(now) === configurationKey(configuration);
    } catch {
      return false;
    }
  }

  async #configurationFor(tab: ChatTab, folder: string): Promise<AgentConfiguration> {
    const { machine, isHosted } = tab.record;
    if (machine) return machineConfiguration(machine, folder);
    return { ...(await this.options.configurationFor(tab, folder)), ...(isHosted === true && { isHosted }) };
  }

  /** Returns the tab's folder first, if it has one, then the workspace folders. */
  #foldersOf(tab: ChatTab): readonly string[] {
    const known = this.options.folders();
    const all = known.length === 0 ? [homedir()] : known;
    const { folder } = tab.record;
    if (folder === undefined) return all;
    // A conversation whose folder isn't in this workspace uses only that folder.
    return all.includes(folder) ? [folder, ...all.filter((one) => one !== folder)] : [folder];
  }
}
