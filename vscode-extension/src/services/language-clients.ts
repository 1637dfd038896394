import { Watchdog } from "@symposium-dev/core/node";
import { type Diagnostic, type ExtensionContext, Uri, workspace } from "vscode";
import { inheritedEnvironment } from "../acp/find-symposium-command.js";
import { trustWords } from "../features/agents/subcommand-runner.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { FolderClient } from "../features/language-features/folder-client.js";
import type { OwnFeatures } from "../features/language-features/own-features.js";
import { RunningClients, type WantedClient } from "../features/language-features/running-clients.js";
import type { WantedLanguages } from "../features/language-features/wanted-languages.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import { SettingsSource } from "../features/settings/settings-source.js";
import { commandFinder } from "./agent-services.js";

interface LanguageClientsOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
}

/** Language clients of this window, one for each workspace folder. Loaded only when a document needs one. */
export class LanguageClients implements OwnFeatures, AsyncDisposable {
  readonly #running = new RunningClients();
  readonly #made = new WeakSet<Diagnostic>();
  readonly #settings = new SettingsSource();
  readonly #watchdog = new Watchdog();

  constructor(private readonly options: LanguageClientsOptions) {}

  serves(languageId: string): boolean {
    return this.#running.serves(languageId);
  }

  made(diagnostic: Diagnostic): boolean {
    return this.#made.has(diagnostic);
  }

  /** Starts and stops clients, until exactly the `wanted` languages are served. `serverOptions` are those of `ide-operations`. */
  async follow(wanted: WantedLanguages, serverOptions: object): Promise<void> {
    const { context, logger } = this.options;
    const findCommand = commandFinder(context, this.#settings);
    const words = ["lsp", "--stdio", "--features", ...trustWords(workspaceFolders())];
    const clients = [...wanted].flatMap(([uri, languages]): [string, WantedClient][] => {
      const folder = workspace.getWorkspaceFolder(Uri.parse(uri));
      if (!folder) return [];
      const names = [...languages.keys()].sort();
      const found = findCommand();
      const command = { ...found, args: [...found.args, ...words], cwd: folder.uri.fsPath };
      const create = (): FolderClient =>
        new FolderClient({
          folder,
          languages,
          command,
          env: inheritedEnvironment(process.env),
          initializationOptions: serverOptions,
          watchdog: this.#watchdog,
          made: (diagnostic) => this.#made.add(diagnostic),
          logger: coreLogger(logger, "language-features"),
        });
      return [[uri, { languages: names, configuration: { names, serverOptions, command }, create }]];
    });
    await this.#running.follow(new Map(clients));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running[Symbol.asyncDispose]();
    this.#settings.dispose();
    this.#watchdog[Symbol.dispose]();
  }
}
