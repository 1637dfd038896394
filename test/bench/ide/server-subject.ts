import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { Child } from "../../support/child.js";
import { arrayOf, objectOf } from "../../support/json.js";
import type { IdeProject } from "./ide-project.js";
import type { IdeQuestion, IdeReply, IdeSubject } from "./ide-lane.js";

const capabilities = {
  window: { workDoneProgress: true },
  workspace: { configuration: true, workspaceFolders: true },
  textDocument: {
    definition: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    publishDiagnostics: {},
  },
};

/** The language server alone, behind as little as can be: what everything above it is compared with. */
export class ServerSubject implements IdeSubject {
  readonly toolListBytes = 0;
  /** Rejects when the server ends, so that unanswered requests fail. */
  readonly #gone: Promise<never>;

  private constructor(
    private readonly child: Child,
    private readonly connection: MessageConnection,
    private readonly project: IdeProject,
    private readonly folder: string,
  ) {
    this.#gone = child.exited.then((sentence) => {
      throw new Error(`${sentence} ${child.stderrTail}`.trim());
    });
    this.#gone.catch(() => undefined);
  }

  static async open(
    project: IdeProject,
    folder: string,
    env: Readonly<Record<string, string>>,
  ): Promise<ServerSubject> {
    const child = new Child({ words: project.server, env, cwd: folder });
    const { stdin, stdout } = child.process;
    const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    // Any other answer ends, or hangs, some of them.
    connection.onRequest((method, params) =>
      method === "workspace/configuration" ? arrayOf(objectOf(params)["items"]).map(() => null) : null,
    );
    connection.onUnhandledNotification(() => undefined);
    connection.onError(() => undefined);
    connection.listen();
    const subject = new ServerSubject(child, connection, project, folder);
    try {
      await subject.#initialize();
    } catch (failure) {
      await subject[Symbol.asyncDispose]();
      throw failure;
    }
    return subject;
  }

  get pid(): number {
    return this.child.process.pid ?? 0;
  }

  async ask(question: IdeQuestion): Promise<IdeReply> {
    const { used, declared } = this.project;
    const at = {
      textDocument: { uri: this.#uri(used.file) },
      position: { line: used.line - 1, character: used.column - 1 },
    };
    switch (question) {
      case "definition":
        return this.#request("textDocument/definition", at, `${this.#uri(declared.file)}"`);
      case "references":
        return this.#request("textDocument/references", { ...at, context: { includeDeclaration: false } }, used.file);
      case "symbols":
        return this.#request(
          "textDocument/documentSymbol",
          { textDocument: { uri: this.#uri(declared.file) } },
          declared.name,
        );
    }
  }

  endInput(): void {
    this.child.process.stdin.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.connection.dispose();
    await this.child[Symbol.asyncDispose]();
  }

  async #initialize(): Promise<void> {
    const { languageId, initializationOptions, used, declared } = this.project;
    const rootUri = pathToFileURL(this.folder).href;
    const workspaceFolders = [{ uri: rootUri, name: "project" }];
    const params = { processId: process.pid, rootUri, workspaceFolders, capabilities, initializationOptions };
    await Promise.race([this.connection.sendRequest("initialize", params).catch(this.#whyGone), this.#gone]);
    await this.connection.sendNotification("initialized", {});
    for (const file of [used.file, declared.file]) {
      const text = await readFile(join(this.folder, file), "utf8");
      const textDocument = { uri: this.#uri(file), languageId, version: 1, text };
      await this.connection.sendNotification("textDocument/didOpen", { textDocument });
    }
  }

  /** A program that has ended is heard of later than that it takes no more input; how it ended says more. */
  readonly #whyGone = (failure: unknown): Promise<never> => {
    const isPipeBroken = failure instanceof Error && failure.message.includes("EPIPE");
    return isPipeBroken ? this.#gone : Promise.reject(failure instanceof Error ? failure : new Error(String(failure)));
  };

  async #request(method: string, params: object, answer: string): Promise<IdeReply> {
    const reply = this.connection.sendRequest(method, params).then(
      (result): IdeReply => {
        const text = JSON.stringify(result);
        return { text, isRight: text.includes(answer) };
      },
      // While it reads the workspace, it may not even know the file.
      (error: unknown): IdeReply => ({ text: String(error), isRight: false }),
    );
    return Promise.race([reply, this.#gone]);
  }

  #uri(file: string): string {
    return pathToFileURL(join(this.folder, file)).href;
  }
}
