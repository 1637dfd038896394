import * as l10n from "@vscode/l10n";
import type { ChildProcess } from "node:child_process";
import {
  type Command,
  Fault,
  type IdeOperationName,
  ideOperationMethod,
  ideOperationReaders,
  type IdeParams,
  type IdeResult,
  isDoneWithin,
  type Logger,
  messageOf,
  SymposiumError,
} from "@symposium-dev/core";
import { processTree, startProgram, type Watchdog } from "@symposium-dev/core/node";
import {
  type Diagnostic,
  languages as vsLanguages,
  LanguageStatusSeverity,
  ProgressLocation,
  RelativePattern,
  window,
  type WorkspaceFolder,
} from "vscode";
import { BaseLanguageClient, type MessageTransports, RevealOutputChannelOn } from "vscode-languageclient";
import { type InitializeParams, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";
import type { StartableClient } from "./running-clients.js";

interface FolderClientOptions {
  readonly folder: WorkspaceFolder;
  /** Languages to serve, each with a document. */
  readonly languages: ReadonlyMap<string, string>;
  /** Command line of the language server. */
  readonly command: Command;
  readonly env: NodeJS.ProcessEnv;
  readonly initializationOptions: object;
  readonly watchdog: Watchdog;
  /** Called with each diagnostic before VS Code shows it. */
  readonly made: (diagnostic: Diagnostic) => void;
  readonly logger: Logger;
}

/** Milliseconds from the end of the input to a signal, and from one signal to the next. */
const graceMs = 2_000;

/** Connects VS Code's language features to the language servers that sessions share in a folder. Disposing ends the process. */
export class FolderClient implements StartableClient {
  readonly #client: ProcessClient;
  readonly #disposables: { dispose(): unknown }[] = [];
  #child: ChildProcess | undefined;
  #isDisposed = false;
  #exited: Promise<void> = Promise.resolve();

  constructor(private readonly options: FolderClientOptions) {
    const { folder, languages, initializationOptions, made } = options;
    const pattern = { baseUri: folder.uri.toString(), pattern: "**/*" };
    this.#client = new ProcessClient(() => this.#spawn(), {
      documentSelector: [...languages.keys()].map((language) => ({ scheme: "file", language, pattern })),
      workspaceFolder: folder,
      initializationOptions,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      diagnosticPullOptions: { onChange: true, onSave: true, onFocus: true },
      middleware: {
        async provideDiagnostics(document, previousResultId, token, next) {
          const report = await next(document, previousResultId, token);
          if (report && "items" in report) for (const diagnostic of report.items) made(diagnostic);
          return report;
        },
      },
    });
  }

  /** Starts the language servers, and shows that in the status bar. A failure is shown beside the language. */
  async start(): Promise<boolean> {
    const { languages, logger } = this.options;
    const title = l10n.t("Starting language server for {0}…", [...languages.keys()].join(", "));
    try {
      return await window.withProgress({ location: ProgressLocation.Window, title }, async () => {
        await this.#client.start();
        const found = await Promise.all([...languages].map(([language, uri]) => this.#show(language, uri)));
        // A client without a server would only cost memory.
        const isServed = found.includes(true);
        if (!isServed) await this.#stop();
        return isServed;
      });
    } catch (error) {
      logger.warn("no language client", { folder: this.options.folder.name, reason: messageOf(error) });
      await this.#stop();
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    for (const one of this.#disposables) one.dispose();
    await this.#stop();
  }

  async #stop(): Promise<void> {
    const { logger } = this.options;
    await this.#client.dispose(graceMs).catch((error: unknown) => logger.debug("stop", { reason: messageOf(error) }));
    await this.#end();
  }

  /** Asks about a document, which starts its server, and shows the server's name or what is missing. Returns whether a server runs. */
  async #show(language: string, uri: string): Promise<boolean> {
    const { state } = await this.#run("documentSymbols", { uri, limit: 1 });
    const { servers } = await this.#run("status", {});
    const item = vsLanguages.createLanguageStatusItem(`symposium.${language}`, {
      language,
      pattern: new RelativePattern(this.options.folder, "**/*"),
    });
    this.#disposables.push(item);
    item.name = l10n.t("Symposium Language Server");
    item.text = servers.map(({ name }) => name).join(", ") || l10n.t("No language server");
    item.detail = state.kind === "degraded" ? state.reason : l10n.t("Started by Symposium");
    if (state.kind === "degraded") item.severity = LanguageStatusSeverity.Warning;
    return servers.length > 0;
  }

  async #run<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    const value: unknown = await this.#client.sendRequest(ideOperationMethod(name), params);
    const result = ideOperationReaders[name].result(value, "");
    if (result instanceof Fault) throw new SymposiumError("ide-operation-failed", `${name}: ${result.message}`);
    return result;
  }

  /** Starts the process. A client that restarts gets a new process. */
  async #spawn(): Promise<MessageTransports> {
    await this.#end();
    if (this.#isDisposed) throw new SymposiumError("cancelled", "The language client was stopped.");
    const { command, env, watchdog, logger } = this.options;
    const started = startProgram(command, { env, watchdog, stdio: "pipe", confined: "own program" });
    const fail = (reason: string): SymposiumError =>
      new SymposiumError("component-start-failed", l10n.t('Couldn\'t start "{0}": {1}', command.command, reason));
    if ("startError" in started) throw fail(started.startError);
    const { child } = started;
    const { pid, stdin, stdout, stderr } = child;
    if (!stdin || !stdout) throw fail(l10n.t("it has no streams"));
    this.#child = child;
    this.#exited = new Promise((resolve) => {
      child.once("error", (error) => {
        logger.warn("a language server failed", { reason: error.message });
        resolve();
      });
      child.once("close", () => resolve());
    });
    void this.#exited.then(() => pid !== undefined && watchdog.remove(pid));
    stdin.on("error", (error) => logger.debug("input", { reason: error.message }));
    stderr?.setEncoding("utf8").on("data", (text: string) => logger.debug("stderr", { text: text.trim() }));
    return { reader: new StreamMessageReader(stdout), writer: new StreamMessageWriter(stdin) };
  }

  async #end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    child?.stdin?.end();
    if (child?.pid === undefined || (await isDoneWithin(this.#exited, graceMs))) return;
    const tree = processTree(child.pid);
    await tree.observe();
    tree.terminate();
    if (!(await isDoneWithin(this.#exited, graceMs))) tree.kill();
    await this.#exited;
  }
}

/** The library's client without its management of processes, which end with their owner here. */
class ProcessClient extends BaseLanguageClient {
  constructor(
    private readonly connect: () => Promise<MessageTransports>,
    options: ConstructorParameters<typeof BaseLanguageClient>[2],
  ) {
    super("symposium.languageFeatures", l10n.t("Symposium Language Servers"), options);
  }

  protected override createMessageTransports(): Promise<MessageTransports> {
    return this.connect();
  }

  protected override fillInitializeParams(params: InitializeParams): void {
    super.fillInitializeParams(params);
    params.processId = process.pid;
  }
}
