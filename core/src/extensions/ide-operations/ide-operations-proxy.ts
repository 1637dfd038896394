import { acpMethods } from "../../base/acp/methods.js";
import type { Adapter, Proxy, ProxySession } from "../../conductor/chain/proxy.js";
import { announcedIdeOperations, ideOperationsPath } from "../../base/ide-operations/capability.js";
import type { IdeOperations } from "../../base/ide-operations/ide-operations.js";
import type { LanguageServers } from "../../base/ide-operations/lsp-adapter-module.js";
import { upstreamIdeOperations } from "../../base/ide-operations/operations-as-acp-requests.js";
import type { IdeOperationName } from "../../base/ide-operations/wire.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import { type EditorDisk, EditorFiles, takesFiles } from "../editor-files/editor-files.js";
import { OperationsWithFallback } from "./fallback/operations-with-fallback.js";
import { unsavedTextOperations } from "./fallback/fallback-servers.js";
import { ideOperationsName, parseIdeOperationsOptions } from "./ide-operations-options.js";
import { ideOperationsServer } from "./ide-operations-server.js";
import { languageServerOperations } from "./language-server-adapter.js";
import type { IdeOperationsServices } from "./services.js";
import { WorkspacePaths } from "./workspace-paths.js";

interface IdeOperationsProxyParts {
  readonly services: IdeOperationsServices;
  readonly version: string;
  /** Used if the editor has no IDE operations, unless the options disable it. */
  readonly adapter: Adapter;
  /** Decides whether language servers may run code from a session's folder. */
  readonly trust: FolderTrust;
  /**
   * Opens a folder's language servers for languages that an editor with IDE operations doesn't support, unless the options disable that.
   * `folder` is absolute. Starts nothing.
   */
  readonly languageServers?: (folder: string) => Promise<LanguageServers>;
}

/** Component with tools for code information from the editor or the adapter. */
export function ideOperationsProxy(options: unknown, parts: IdeOperationsProxyParts): Proxy {
  const { services, version, adapter, languageServers, trust } = parts;
  const { tools, usesAdapter } = parseIdeOperationsOptions(options);
  return {
    name: ideOperationsName,
    needs: [ideOperationsPath],
    ...(usesAdapter && { adapters: [adapter] }),
    connect(chain) {
      let supported: ReadonlySet<IdeOperationName> | undefined;
      let writesInEditor = false;
      /** By folder, since its sessions share the unsaved texts sent to language servers. */
      const folders = new Map<string, OperationsWithFallback>();
      const withFallback = (folder: string, editor: IdeOperations): IdeOperations => {
        const showsTexts = unsavedTextOperations.every((name) => editor.supported.has(name));
        if (!usesAdapter || !languageServers || !showsTexts) return editor;
        const known = folders.get(folder) ?? new OperationsWithFallback(editor, () => languageServers(folder));
        folders.set(folder, known);
        return known;
      };
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) => {
            supported = announcedIdeOperations(request.params?.object);
            // An editor that reports open files applies edits itself.
            writesInEditor = takesFiles(request) && supported?.has("openFiles") === false;
            return chain.successor.request(request, reply);
          },
        },
        mcpServers(session) {
          const { cwd, signal } = session;
          if (!supported || supported.size === 0 || cwd === "") return [];
          const { uri: workspace } = new WorkspacePaths(cwd);
          const upstream = withFallback(cwd, upstreamIdeOperations({ peer: chain.client, workspace, supported }));
          const ide = isOurAdapter(supported)
            ? askingFirst(upstream, { session, client: chain.client, trust })
            : upstream;
          const editor = writesInEditor && new EditorFiles(chain, diskOf(services), () => session.sessionId, cwd);
          const given = { ide, services, folder: cwd, signal, version, tools };
          return [ideOperationsServer({ ...given, ...(editor && { editor }) })];
        },
        async [Symbol.asyncDispose]() {
          await Promise.all([...folders.values()].map((one) => one[Symbol.asyncDispose]()));
        },
      };
    },
  };
}

/** Detects the adapter by its fixed set of operations. Only the adapter may start language servers, so only it needs trust. */
function isOurAdapter(supported: ReadonlySet<IdeOperationName>): boolean {
  return (
    supported.size === languageServerOperations.length && languageServerOperations.every((name) => supported.has(name))
  );
}

function diskOf(services: IdeOperationsServices): EditorDisk {
  return {
    readText: (path) => services.readText(path),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

interface AskingFirst {
  readonly session: ProxySession;
  /** The peer toward the editor. */
  readonly client: Peer;
  readonly trust: FolderTrust;
}

const reason = "Language servers run code from the project: build scripts, macros, plugins and its own interpreters.";

/**
 * Asks the user to trust the folder before the first language server operation. In an untrusted folder, only servers that run none of its
 * code answer.
 */
function askingFirst(ide: IdeOperations, { session, client, trust }: AskingFirst): IdeOperations {
  return {
    supported: ide.supported,
    async run(name, params, signal) {
      const { sessionId, cwd } = session;
      if (sessionId !== undefined) await trust.asked({ folder: cwd, reason, asker: { client, sessionId, signal } });
      return ide.run(name, params, signal);
    },
  };
}
