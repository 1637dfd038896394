import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  type Item,
  type ItemOf,
  newTabState,
  newTranscript,
  type PromptTime,
  type QueuedPrompt,
} from "../../../protocol/index.js";
import { Logger, Scope, type StartProcess } from "@symposium-dev/core";
import { startProcess, Watchdog } from "@symposium-dev/core/node";
import { AbilityTable, type ClientAbility, ownCapabilities } from "../../../src/acp/client-abilities.js";
import type { AgentConfiguration } from "../../../src/acp/agent-configuration.js";
import { Conversation } from "../../../src/acp/conversation.js";
import type { ConversationParts } from "../../../src/acp/conversation-parts.js";
import { SessionObservers } from "../../../src/acp/session-observers.js";
import { RunningAgent, WindowAgents } from "../../../src/acp/running-agent.js";
import { TabTranscript } from "../../../src/features/chat/tab-transcript.js";

const core = createRequire(import.meta.url).resolve("@symposium-dev/core");
const agentProgram = join(core, "../..", "testing", "node", "agent-main.js");

export const scripted: AgentConfiguration = {
  agentId: "scripted",
  agentName: "Scripted",
  agent: "scripted",
  proxies: [],
  folder: process.cwd(),
  environment: {},
  extraArgs: [],
};

interface FixtureOptions {
  readonly abilities?: readonly ClientAbility[];
  /** Options of the scripted agent's program, by how often it was started before. */
  readonly args?: (start: number) => readonly string[];
  /** Starts agents in another way than as processes of the scripted agent's program. */
  readonly startProcess?: StartProcess;
  readonly idleMs?: number;
}

/** Agents as processes, of the real scripted agent. Disposing ends them all. */
export class AgentFixture implements AsyncDisposable {
  readonly #scope = new Scope();
  readonly agents: WindowAgents;
  readonly logged: string[] = [];
  starts = 0;

  constructor(options: FixtureOptions = {}) {
    const logger = new Logger(({ event }) => this.logged.push(event));
    const watchdog = this.#scope.add(new Watchdog());
    const start = options.startProcess ?? startProcess({ logger, watchdog, graceMs: 500, terminationMs: 500 });
    const abilities = new AbilityTable(options.abilities ?? [], logger, ownCapabilities);
    this.agents = this.#scope.add(
      new WindowAgents(({ agentName }) => {
        const args = [agentProgram, ...(options.args?.(this.starts) ?? [])];
        this.starts++;
        return new RunningAgent({
          name: agentName,
          command: { command: process.execPath, args, env: {} },
          startProcess: start,
          abilities,
          clientInfo: { name: "test", title: "Test", version: "1" },
          logger,
        });
      }, options.idleMs),
    );
  }

  /** A tab of its own with this agent. */
  tab(options: Partial<ConversationParts> = {}, configuration = scripted): TabFixture {
    return new TabFixture(this.agents, options, configuration);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }
}

/** A tab without a view. */
export class TabFixture {
  readonly transcript: TabTranscript;
  readonly conversation: Conversation;
  readonly sessions: string[] = [];
  readonly titles: (string | undefined)[] = [];
  /** How many prompts the tab has. */
  #prompts: number;

  constructor(agents: WindowAgents, options: Partial<ConversationParts>, configuration: AgentConfiguration) {
    let ids = 0;
    const tabId = options.tabId ?? "tab-1";
    const own = new TabTranscript(newTranscript(newTabState({ id: "scripted", name: "Scripted" })));
    this.transcript = options.target instanceof TabTranscript ? options.target : own;
    this.#prompts = this.all("user").length;
    this.conversation = new Conversation({
      tabId,
      agent: agents.agent(configuration),
      target: this.transcript,
      folders: [process.cwd()],
      command: { command: "symposium-acp-agent", args: [], env: {} },
      signIn: { signIn: () => Promise.resolve(false) },
      toBlocks: () => Promise.resolve([]),
      observers: new SessionObservers([], Logger.silent),
      hooks: {
        sessionChanged: (id) => this.sessions.push(id),
        told: () => undefined,
        titled: (title) => this.titles.push(title),
        turnEnded: () => undefined,
      },
      logger: Logger.silent,
      chooseFolder: () => Promise.resolve(undefined),
      now: () => 1_000,
      newId: () => `${tabId}-id-${++ids}`,
      ...options,
    });
  }

  get items(): readonly Item[] {
    return this.transcript.transcript.items;
  }

  get phase(): string {
    return this.transcript.transcript.state.phase;
  }

  /** The items of one kind. */
  all<Kind extends Item["kind"]>(kind: Kind): ItemOf<Kind>[] {
    return this.items.filter((item): item is ItemOf<Kind> => item.kind === kind);
  }

  /** Text from the agent, without the breaks between its messages. */
  get said(): string {
    return this.all("text")
      .map(({ text }) => text)
      .join("");
  }

  send(text: string, when: PromptTime = "send"): QueuedPrompt {
    const prompt = { messageId: `prompt-${++this.#prompts}`, text, attachments: [] };
    this.conversation.prompt(prompt, when);
    return prompt;
  }

  /** Sends a prompt and waits for the end of its turn. */
  async ask(text: string): Promise<void> {
    const before = this.all("turn-end").length;
    this.send(text);
    await this.until(() => this.all("turn-end").length > before && this.phase !== "running");
  }

  /** Waits, bounded, until the transcript is as wished. */
  async until(isSo: () => boolean, boundMs = 50_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        if (!isSo()) return;
        clearTimeout(timer);
        subscription[Symbol.dispose]();
        resolve();
      };
      const timer = setTimeout(() => {
        subscription[Symbol.dispose]();
        reject(
          new assert.AssertionError({
            message: `it never came to: ${isSo.toString()}\n${JSON.stringify(this.items, null, 1)}\n${this.phase}`,
          }),
        );
      }, boundMs);
      const subscription = this.transcript.onChanges(check);
      check();
    });
  }
}
