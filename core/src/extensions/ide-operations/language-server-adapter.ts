import { acpMethods } from "../../base/acp/methods.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { Adapter, Proxy } from "../../conductor/chain/proxy.js";
import { ideOperationsPath, withIdeOperations } from "../../base/ide-operations/capability.js";
import { pathOfFileUri } from "../../base/file-uri.js";
import type { IdeOperations } from "../../base/ide-operations/ide-operations.js";
import { ideRequestHandlers } from "../../base/ide-operations/serving.js";
import { type IdeOperationName, ideOperationNames } from "../../base/ide-operations/wire.js";
import { Request } from "../../base/rpc/message.js";

/** All operations except those that only an editor can answer. */
export const languageServerOperations: readonly IdeOperationName[] = ideOperationNames.filter(
  (name) => name !== "selection" && name !== "openFiles",
);

/** Opens the operations of a folder's language servers. `folder` is absolute. Disposing releases the servers. */
type OpenLanguageServers = (folder: string) => Promise<IdeOperations & AsyncDisposable>;

/** Adapter for editors without IDE operations: announces the operations and answers them with Symposium's language servers. */
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

/** Folders in use. Each opens once, at its first request. */
class OpenFolders implements AsyncDisposable {
  readonly #opened = new Map<string, Promise<IdeOperations & AsyncDisposable>>();
  #isClosed = false;

  constructor(private readonly open: OpenLanguageServers) {}

  async get(workspace: string): Promise<IdeOperations> {
    const folder = pathOfFileUri(workspace);
    if (folder === undefined) {
      throw new SymposiumError("ide-operation-failed", `${workspace} isn't a folder on this machine.`);
    }
    if (this.#isClosed) throw new SymposiumError("cancelled", "The session has ended.");
    const known = this.#opened.get(folder);
    if (known) return known;
    const opening = this.open(folder);
    this.#opened.set(folder, opening);
    // Allows a retry after a failure.
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
