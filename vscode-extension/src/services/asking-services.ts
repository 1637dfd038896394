import { setTimeout as delay } from "node:timers/promises";
import { acpMethods, messageOf } from "@symposium-dev/core";
import { Watchdog } from "@symposium-dev/core/node";
import { type ExtensionContext, window, workspace } from "vscode";
import { modelPicker } from "../acp/session-options.js";
import { RestrictedMode } from "../features/chat/chat-tab.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { editHere } from "../features/edit-here/edit-here.js";
import type { PlaceInEditor } from "../features/edit-here/place-in-editor.js";
import { Answers, type AskedAgent } from "../features/language-model/one-answer.js";
import { type AskAgent, askingAgent } from "../features/language-model/ask-with-progress.js";
import { ModelService, vscodelmCommand } from "../features/language-model/model-service.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import { FindingComments } from "../features/scm/finding-comments.js";
import { reviewChanges } from "../features/scm/ask-for-review.js";
import { writeCommitMessage } from "../features/scm/write-commit-message.js";
import { commandFinder, commandStarter } from "./agent-services.js";
import type { Services } from "./services.js";

interface AskingServicesOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
  readonly services: Services;
}

/** Features that ask the current agent outside of the chat. Nothing starts before the first request. Disposing ends the agents. */
export class AskingServices implements AsyncDisposable {
  readonly #services: Services;
  readonly #watchdog = new Watchdog();
  readonly #answers: Answers;
  readonly #ask: AskAgent;
  readonly #findings = new FindingComments();

  constructor({ context, logger, services }: AskingServicesOptions) {
    this.#services = services;
    const log = coreLogger(logger, "answers");
    const { settings } = services;
    const find = commandFinder(context, settings);
    const service = new ModelService({
      // Pass no user extensions, because the agent gets no tools here.
      command: () => {
        const folders = workspaceFolders();
        return vscodelmCommand(find(), { ...settings.settings, extensions: [] }, folders[0] ?? "/", folders);
      },
      startProcess: commandStarter(log, this.#watchdog),
      askPermission: () => Promise.resolve({ outcome: "reject" }),
      logger: log,
      wait: (ms) => delay(ms),
      now: Date.now,
    });
    this.#answers = new Answers(service);
    this.#ask = askingAgent(this.#answers, (folder) => this.#currentAgent(folder));
  }

  async writeCommitMessage(argument: unknown): Promise<void> {
    await told(() => writeCommitMessage(this.#ask, argument));
  }

  async editHere(place: PlaceInEditor | undefined): Promise<void> {
    await told(() => editHere(this.#ask, this.#services.review.edits, place));
  }

  async reviewChanges(argument: unknown): Promise<void> {
    const { tabs } = this.#services;
    await told(() =>
      reviewChanges(argument, {
        openTab: () => this.#services.openTab(tabs.selectedTab?.state.agentId),
        findings: this.#findings,
      }),
    );
  }

  dismissFindings(argument: unknown): void {
    this.#findings.dismiss(argument);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#findings.dispose();
    await this.#answers[Symbol.asyncDispose]();
    this.#watchdog[Symbol.dispose]();
  }

  /** Returns the agent and model of the selected tab, or the agent for new tabs. If there is neither, asks the user. */
  async #currentAgent(folder: string): Promise<AskedAgent | undefined> {
    const { tabs, choices, settingsServices } = this.#services;
    const selected = tabs.selectedTab?.state;
    const hasAgent = (): boolean => selected !== undefined || choices.currentId !== undefined;
    if (!hasAgent()) await settingsServices.agents.select();
    if (!hasAgent()) return undefined;
    const configuration = await choices.configurationFor(selected?.agentId, folder);
    await settingsServices.prepare(configuration);
    const models = (selected?.options ?? []).flatMap(({ id, category, value }) =>
      category === "model" && typeof value === "string" ? [[id === modelPicker ? acpMethods.setModel : id, value]] : [],
    );
    return {
      id: configuration.agentId,
      name: configuration.agentName,
      spec: configuration.agent,
      configOptions: Object.fromEntries(models) as Record<string, string>,
    };
  }
}

/** Runs a feature and shows its errors. In an untrusted workspace, runs nothing, not even git. */
async function told(work: () => Promise<void>): Promise<void> {
  try {
    if (!workspace.isTrusted) throw new RestrictedMode();
    await work();
  } catch (thrown) {
    void window.showErrorMessage(messageOf(thrown));
  }
}
