import { acpMethods } from "../../acp/methods.js";
import type { Adapter, Proxy } from "../../conductor/proxy.js";
import { announcedIdeOperations, ideOperationsPath } from "../../ide-operations/capability.js";
import { upstreamIdeOperations } from "../../ide-operations/upstream.js";
import type { IdeOperationName } from "../../ide-operations/wire.js";
import type { EditorDisk } from "../editor-files/editor-disk.js";
import { EditorFiles } from "../editor-files/editor-files.js";
import { takesFiles } from "../editor-files/takes-files.js";
import { parseIdeOperationsOptions } from "./ide-operations-options.js";
import { ideOperationsName } from "./ide-operations-name.js";
import { ideOperationsServer } from "./ide-operations-server.js";
import type { IdeOperationsServices } from "./services.js";
import { WorkspacePaths } from "./workspace-paths.js";

export interface IdeOperationsProxyParts {
  readonly services: IdeOperationsServices;
  readonly version: string;
  /** Stands in for an editor that has no IDE operations, unless the options switch it off. */
  readonly adapter: Adapter;
}

/** The component: gives sessions tools over what the editor, or the adapter in its place, can tell of the code. */
export function ideOperationsProxy(options: unknown, { services, version, adapter }: IdeOperationsProxyParts): Proxy {
  const { tools, usesAdapter } = parseIdeOperationsOptions(options);
  return {
    name: ideOperationsName,
    needs: [ideOperationsPath],
    ...(usesAdapter && { adapters: [adapter] }),
    connect(chain) {
      let supported: ReadonlySet<IdeOperationName> | undefined;
      let writesInEditor = false;
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) => {
            supported = announcedIdeOperations(request.params?.object);
            // An editor that answers itself knows its open files, and makes edits itself.
            writesInEditor = takesFiles(request) && supported?.has("openFiles") === false;
            return chain.successor.request(request, reply);
          },
        },
        mcpServers(session) {
          const { cwd, signal } = session;
          if (!supported || supported.size === 0 || cwd === "") return [];
          const { uri: workspace } = new WorkspacePaths(cwd);
          const ide = upstreamIdeOperations({ peer: chain.client, workspace, supported });
          const editor = writesInEditor && new EditorFiles(chain.client, diskOf(services), () => session.sessionId);
          const parts = { ide, services, folder: cwd, signal, version, tools };
          return [ideOperationsServer({ ...parts, ...(editor && { editor }) })];
        },
      };
    },
  };
}

function diskOf(services: IdeOperationsServices): EditorDisk {
  return {
    readText: (path) => services.readText(path),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
