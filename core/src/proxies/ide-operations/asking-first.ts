import type { ProxySession } from "../../conductor/proxy.js";
import type { IdeOperations } from "../../ide-operations/ide-operations.js";
import type { Peer } from "../../rpc/peer.js";
import type { FolderTrust } from "../../trust/folder-trust.js";

export interface AskingFirst {
  readonly session: ProxySession;
  /** Toward the editor. */
  readonly client: Peer;
  readonly trust: FolderTrust;
}

const reason = "Language servers run code of a project: build scripts, macros, plugins and interpreters of its own.";

/**
 * The operations of language servers, before whose first one the user is asked whether the folder is trusted. Where it is
 * not, those answer that run nothing of it.
 */
export function askingFirst(ide: IdeOperations, { session, client, trust }: AskingFirst): IdeOperations {
  return {
    supported: ide.supported,
    async run(name, params, signal) {
      const { sessionId, cwd } = session;
      if (sessionId !== undefined) await trust.asked({ folder: cwd, reason, asker: { client, sessionId, signal } });
      return ide.run(name, params, signal);
    },
  };
}
