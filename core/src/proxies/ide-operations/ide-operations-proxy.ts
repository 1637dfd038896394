import { acpMethods } from "../../acp/methods.js";
import type { Adapter, Proxy } from "../../conductor/proxy.js";
import { announcedIdeOperations, ideOperationsPath } from "../../ide-operations/capability.js";
import { upstreamIdeOperations } from "../../ide-operations/upstream.js";
import type { IdeOperationName } from "../../ide-operations/wire.js";
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
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) => {
            supported = announcedIdeOperations(request.params?.object);
            return chain.successor.request(request, reply);
          },
        },
        mcpServers({ cwd, signal }) {
          if (!supported || supported.size === 0 || cwd === "") return [];
          const { uri: workspace } = new WorkspacePaths(cwd);
          const ide = upstreamIdeOperations({ peer: chain.client, workspace, supported });
          return [ideOperationsServer({ ide, services, folder: cwd, signal, version, tools })];
        },
      };
    },
  };
}
