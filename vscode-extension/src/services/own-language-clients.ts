import { messageOf } from "@symposium-dev/core";
import { type Diagnostic, type ExtensionContext, extensions, type TextDocument, workspace } from "vscode";
import type { OwnFeatures } from "../features/language-features/own-features.js";
import {
  type Circumstances,
  ideOperationsOptions,
  type OpenedDocument,
  wantedLanguages,
} from "../features/language-features/wanted-languages.js";
import type { Logger } from "../features/log/logger.js";
import type { LanguageClients } from "./language-clients.js";

interface LanguageFeaturesOptions {
  readonly context: ExtensionContext;
  readonly logger: Logger;
}

/** Serves languages that no extension serves, by `symposium.languageFeatures`. Loads the client for the first such document. */
export class LanguageFeatures implements OwnFeatures, AsyncDisposable {
  readonly #options: LanguageFeaturesOptions;
  /** Documents of this window so far, one for each folder and language, so that servers outlive closed documents. */
  readonly #seen = new Map<string, OpenedDocument>();
  #clients: LanguageClients | undefined;
  #changing: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(options: LanguageFeaturesOptions) {
    this.#options = options;
    const follow = (): void => this.#follow();
    options.context.subscriptions.push(
      workspace.onDidOpenTextDocument((document) => {
        if (this.#see(document)) this.#follow();
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("symposium")) this.#follow();
      }),
      workspace.onDidGrantWorkspaceTrust(follow),
      workspace.onDidChangeWorkspaceFolders(() => {
        this.#seen.clear();
        for (const document of workspace.textDocuments) this.#see(document);
        this.#follow();
      }),
      extensions.onDidChange(follow),
    );
    for (const document of workspace.textDocuments) this.#see(document);
    this.#follow();
  }

  serves(languageId: string): boolean {
    return this.#clients?.serves(languageId) ?? false;
  }

  made(diagnostic: Diagnostic): boolean {
    return this.#clients?.made(diagnostic) ?? false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    // Dispose the clients first: this ends the starts that a change waits for.
    await this.#clients?.[Symbol.asyncDispose]();
    await this.#changing;
  }

  /** Returns whether the document is the first of its language in its folder. */
  #see({ languageId, uri }: TextDocument): boolean {
    if (uri.scheme !== "file") return false;
    const folder = workspace.getWorkspaceFolder(uri)?.uri.toString();
    const key = `${folder} ${languageId}`;
    if (folder === undefined || this.#seen.has(key)) return false;
    this.#seen.set(key, { languageId, uri: uri.toString(), folder });
    return true;
  }

  #follow(): void {
    this.#changing = this.#changing
      .then(() => this.#change())
      .catch((thrown: unknown) => {
        this.#options.logger.error("language-features", "no language client", { reason: messageOf(thrown) });
      });
  }

  async #change(): Promise<void> {
    if (this.#isDisposed || (this.#seen.size === 0 && !this.#clients)) return;
    const circumstances = currentCircumstances();
    const wanted = wantedLanguages([...this.#seen.values()], circumstances);
    if (wanted.size === 0 && !this.#clients) return;
    const clients = await this.#loadClients();
    await clients?.follow(wanted, ideOperationsOptions(circumstances.setting("extensions")) ?? {});
  }

  /** Returns undefined if this object was disposed. */
  async #loadClients(): Promise<LanguageClients | undefined> {
    if (this.#clients) return this.#clients;
    const { LanguageClients: Loaded } = await import(
      /* webpackMode: "lazy", webpackChunkName: "language-client" */ "./language-clients.js"
    );
    if (!this.#isDisposed) this.#clients = new Loaded(this.#options);
    return this.#clients;
  }
}

function currentCircumstances(): Circumstances {
  const configuration = workspace.getConfiguration("symposium");
  return {
    setting: (key) => (key === "extensions" ? configuration.inspect(key)?.globalValue : configuration.get(key)),
    isTrusted: workspace.isTrusted,
    manifests: extensions.all.map(({ packageJSON }): unknown => packageJSON),
  };
}
