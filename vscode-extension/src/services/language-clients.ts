import { Watchdog } from "@symposium-dev/core/node";
import { type Diagnostic, type ExtensionContext, Uri, workspace } from "vscode";
import { inheritedEnvironment } from "../acp/find-symposium-command.js";
import { trustWords } from "../features/agents/subcommand-runner.js";
import { workspaceFolders } from "../features/chat/workspace-folders.js";
import { FolderClient } from "../features/language-features/folder-client.js";
import type { OwnFeatures } from "../features/language-features/own-features.js";
import type { WantedLanguages } from "../features/language-features/wanted-languages.js";
import { coreLogger } from "../features/log/core-logger.js";
import type { Logger } from "../features/log/logger.js";
import { SettingsSource } from "../features/settings/settings-source.js";
import { commandFinder } from "./agent-services.js";

interface LanguageClientsOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
}

interface Running {
  readonly client: FolderClient;
  readonly languages: readonly string[];
}

/** Language clients of this window, one for each workspace folder. Loaded only when a document needs one. */
export class LanguageClients implements OwnFeatures, AsyncDisposable {
  readonly #running = new Map<string, Running>();
  readonly #made = new WeakSet<Diagnostic>();
  readonly #settings = new SettingsSource();
  readonly #watchdog = new Watchdog();

  constructor(private readonly options: LanguageClientsOptions) {}

  serves(languageId: string): boolean {
    return [...this.#running.values()].some(({ languages }) => languages.includes(languageId));
  }

  made(diagnostic: Diagnostic): boolean {
    return this.#made.has(diagnostic);
  }

  /** Starts and stops clients, until exactly the `wanted` languages are served. `serverOptions` are those of `ide-operations`. */
  async follow(wanted: WantedLanguages, serverOptions: object): Promise<void> {
    const names = (folder: string): readonly string[] => [...(wanted.get(folder)?.keys() ?? [])].sort();
    for (const [folder, { client, languages }] of this.#running) {
      if (languages.join() === names(folder).join()) continue;
      this.#running.delete(folder);
      await client[Symbol.asyncDispose]();
    }
    const starting = [...wanted].flatMap(([folder, languages]) => {
      const found = workspace.getWorkspaceFolder(Uri.parse(folder));
      if (!found || this.#running.has(folder)) return [];
      const { context, logger } = this.options;
      const command = commandFinder(context, this.#settings)();
      const words = ["lsp", "--stdio", "--features", ...trustWords(workspaceFolders())];
      const client = new FolderClient({
        folder: found,
        languages,
        command: { ...command, args: [...command.args, ...words], cwd: found.uri.fsPath },
        env: inheritedEnvironment(process.env),
        initializationOptions: serverOptions,
        watchdog: this.#watchdog,
        made: (diagnostic) => this.#made.add(diagnostic),
        logger: coreLogger(logger, "language-features"),
      });
      this.#running.set(folder, { client, languages: names(folder) });
      return [client.start()];
    });
    await Promise.all(starting);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.follow(new Map(), {});
    this.#settings.dispose();
    this.#watchdog[Symbol.dispose]();
  }
}
