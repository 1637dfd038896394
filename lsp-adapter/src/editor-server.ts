import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type IdeOperationName,
  type IdeOperations,
  type IdeParams,
  type IdeResult,
  type LanguageServers,
  type LspServerOptions,
} from "@symposium-dev/core";
import {
  type Connection,
  createConnection,
  ErrorCodes,
  type InitializeError,
  type InitializeParams,
  type InitializeResult,
  ResponseError,
  TextDocuments,
  TextDocumentSyncKind,
  type TextDocumentSyncOptions,
} from "vscode-languageserver";
import { createProtocolConnection, StreamMessageReader } from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { FrameWriter } from "./connection/frame-writer.js";
import { introductionOf, OperationRequests } from "./operation-requests.js";
import { answerStandardRequests, standardCapabilities } from "./standard-features.js";

interface EditorServerOptions extends LspServerOptions {
  readonly input: Readable;
  readonly output: Writable;
}

/** Milliseconds between checks that the editor's process is alive, which the protocol requires. */
const ownerCheckMs = 3_000;

/**
 * Serves an editor as a language server over two streams: the standard's life cycle and documents, plus operations as custom requests.
 * Answers the standard's requests only with `hasFeatures`, because most editors have their own servers. Resolves with the standard's exit
 * code: 0 after `shutdown`, else 1.
 */
export async function serveEditor(options: EditorServerOptions): Promise<number> {
  const { input, output } = options;
  let { folder } = options;
  let operations: EditorOperations | undefined;
  let owner: NodeJS.Timeout | undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const reader = new StreamMessageReader(input);
  // The reader's timer for incomplete messages would outlive the editor.
  reader.partialMessageTimeout = 0;
  // The library records in this object that the editor requested a shutdown.
  const life = { shutdownReceived: false, initialize: () => undefined, exit: end };
  const connection = createConnection(() => createProtocolConnection(reader, new FrameWriter(output)), life);
  // End when the input ends, which also happens if the editor is killed.
  for (const event of ["end", "close", "error"]) input.once(event, end);
  const documents = new TextDocuments(TextDocument);
  connection.onInitialize(async (params): Promise<InitializeResult | ResponseError<InitializeError>> => {
    if (!operations) folder = folderOf(params) ?? folder;
    if (folder === undefined) return new ResponseError(ErrorCodes.InvalidParams, noFolder, { retry: false });
    operations ??= new EditorOperations(await options.open(folder, params.initializationOptions), documents);
    const { processId } = params;
    if (processId !== null) owner ??= setInterval(() => runs(processId) || end(), ownerCheckMs);
    const { capabilities, serverInfo } = introductionOf(operations);
    const textDocumentSync: TextDocumentSyncOptions = { openClose: true, change: TextDocumentSyncKind.Incremental };
    const standard = options.hasFeatures ? standardCapabilities(operations, params.capabilities) : {};
    return { capabilities: { ...capabilities, ...standard, textDocumentSync }, serverInfo };
  });
  using requests = new OperationRequests(connection, () => operations);
  if (options.hasFeatures) answerStandardRequests(connection, requests, () => folder);
  connection.onShutdown(() => undefined);
  listen(connection, documents);
  await ended;
  clearInterval(owner);
  await operations?.[Symbol.asyncDispose]();
  return life.shutdownReceived ? 0 : 1;
}

const noFolder =
  "There is no folder to serve. Pass `workspaceFolders` or `rootUri` with a `file:` URL, or start with --folder DIR.";

function listen(connection: Connection, documents: TextDocuments<TextDocument>): void {
  documents.listen(connection);
  connection.listen();
}

/** IDE operations in a folder that use the editor's unsaved texts. Changed texts are sent before the next request. */
class EditorOperations implements IdeOperations, AsyncDisposable {
  readonly supported: ReadonlySet<IdeOperationName>;
  readonly #changed = new Set<string>();
  #sent: Promise<void> = Promise.resolve();

  constructor(
    private readonly servers: LanguageServers,
    private readonly documents: TextDocuments<TextDocument>,
  ) {
    this.supported = servers.supported;
    const onChange = ({ document }: { readonly document: TextDocument }): void => {
      // Documents without a file belong to no project.
      if (document.uri.startsWith("file:")) this.#changed.add(document.uri);
    };
    documents.onDidChangeContent(onChange);
    documents.onDidClose(onChange);
  }

  async run<N extends IdeOperationName>(name: N, params: IdeParams<N>, signal: AbortSignal): Promise<IdeResult<N>> {
    // Send texts one after another, so that an older text never arrives after a newer one.
    await (this.#sent = this.#sent.then(() => this.#send(signal)));
    return this.servers.run(name, params, signal);
  }

  async #send(signal: AbortSignal): Promise<void> {
    for (const uri of [...this.#changed]) {
      if (signal.aborted) return;
      const text = this.documents.get(uri)?.getText() ?? null;
      this.#changed.delete(uri);
      try {
        await this.servers.run("setDocument", { uri, text }, signal);
      } catch {
        // Ignore the error, since the request itself reports it; the text is sent with the next request.
        this.#changed.add(uri);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.servers[Symbol.asyncDispose]();
  }
}

/** Returns the first local folder of the workspace. */
function folderOf(params: InitializeParams): string | undefined {
  // oxlint-disable-next-line typescript/no-deprecated -- It is all that older editors send.
  for (const uri of [...(params.workspaceFolders ?? []).map((folder) => folder.uri), params.rootUri]) {
    if (typeof uri === "string" && uri.startsWith("file:")) return fileURLToPath(uri);
  }
  return undefined;
}

function runs(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM means that the process is running but belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
