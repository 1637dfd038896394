import { acpMethods } from "../../base/acp/methods.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { Adapter, Proxy } from "../../conductor/chain/proxy.js";
import { ideOperationsPath, withIdeOperations } from "../../base/ide-operations/capability.js";
import { pathOfFileUri } from "../../base/file-uri.js";
import type { IdeOperations } from "../../base/ide-operations/ide-operations.js";
import { ideRequestHandlers } from "../../base/ide-operations/serving.js";
import { type IdeOperationName, ideOperationNames } from "../../base/ide-operations/wire.js";
import { Request } from "../../base/rpc/message.js";

/** What language servers can answer: all but what only an editor knows. */
export const languageServerOperations: readonly IdeOperationName[] = ideOperationNames.filter(
  (name) => name !== "selection" && name !== "openFiles",
);

/** The operations over the language servers of one folder (an absolute path); disposing lets go of them. */
type OpenLanguageServers = (folder: string) => Promise<IdeOperations & AsyncDisposable>;

/** Stands in for an editor without IDE operations: announces them, and answers by language servers of our own. */
export function languageServerAdapter(open: OpenLanguageServers): Adapter {
  return { provides: ideOperationsPath, make: () => adapterProxy(open) };
}

function adapterProxy(open: OpenLanguageServers): Proxy {
  return {
    name: "language-servers",
    connect(chain) {
      const folders = new OpenFolders(open);
      return {
        clientRequests: {
          [acpMethods.initialize]: ({ method, params }, reply) =>
            chain.successor.request(new Request(method, withIdeOperations(params, languageServerOperations)), reply),
        },
        agentRequests: ideRequestHandlers((workspace) => folders.get(workspace)),
        [Symbol.asyncDispose]: () => folders[Symbol.asyncDispose](),
      };
    },
  };
}

/** The folders that were asked about, each opened once, at the first question. */
class OpenFolders implements AsyncDisposable {
  readonly #opened = new Map<string, Promise<IdeOperations & AsyncDisposable>>();
  #isClosed = false;

  constructor(private readonly open: OpenLanguageServers) {}

  async get(workspace: string): Promise<IdeOperations> {
    const folder = pathOfFileUri(workspace);
    if (folder === undefined) {
      throw new SymposiumError("ide-operation-failed", `${workspace} is no folder of this machine.`);
    }
    if (this.#isClosed) throw new SymposiumError("cancelled", "The session has ended.");
    const known = this.#opened.get(folder);
    if (known) return known;
    const opening = this.open(folder);
    this.#opened.set(folder, opening);
    // What failed is tried again by the next question.
    opening.catch(() => this.#opened.delete(folder));
    return opening;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const opened = await Promise.allSettled([...this.#opened.values()]);
    this.#opened.clear();
    await Promise.all(
      opened.map(async (one) => {
        if (one.status === "fulfilled") await one.value[Symbol.asyncDispose]();
      }),
    );
  }
}
