import { whenAborted } from "../../base/until-aborted.js";
import type { UserServer } from "../../settings/user-server.js";
import type { ExpandedLaunch, ServerSession } from "./expanded-launch.js";
import { ServerNames } from "./server-names.js";
import type { SessionServer } from "./session-server.js";

interface SharedServer {
  readonly server: SessionServer;
  /** Open sessions; the most recent is last. */
  readonly sessions: Set<ServerSession>;
}

interface SharedFolder {
  /** Servers by name and launch. */
  readonly servers: Map<string, SharedServer>;
  /** Never reuses a name, since the agent remembers a name's server even after the session ended. */
  readonly names: ServerNames;
  readonly given: Map<string, string>;
}

type MakeServer = (name: string, session: () => ServerSession) => SessionServer;

/**
 * Servers for agents whose sessions in one folder share servers by name. All sessions get the same server at one address; it ends with the
 * last session. Another launch with the same name gets a new name.
 */
export class SharedServers {
  /** Folders by client peer, of which each chain has its own. */
  readonly #chains = new WeakMap<object, Map<string, SharedFolder>>();

  open(
    session: ServerSession,
    { server: { name }, launch }: { readonly server: UserServer; readonly launch: ExpandedLaunch },
    make: MakeServer,
  ): SessionServer {
    const folder = this.#folderOf(session);
    const key = JSON.stringify([name, launch]);
    const shared = folder.servers.get(key) ?? this.#make(folder, key, name, session, make);
    shared.sessions.add(session);
    const leave = (): void => {
      shared.sessions.delete(session);
      if (shared.sessions.size > 0 || folder.servers.get(key) !== shared) return;
      folder.servers.delete(key);
      void shared.server[Symbol.asyncDispose]();
    };
    whenAborted(session.signal, leave);
    return shared.server;
  }

  #make(folder: SharedFolder, key: string, name: string, first: ServerSession, make: MakeServer): SharedServer {
    const given = folder.given.get(key) ?? folder.names.add(name);
    folder.given.set(key, given);
    const sessions = new Set<ServerSession>();
    const shared = { server: make(given, () => Array.from(sessions).at(-1) ?? first), sessions };
    folder.servers.set(key, shared);
    return shared;
  }

  #folderOf({ client, cwd }: ServerSession): SharedFolder {
    const folders = this.#chains.get(client) ?? new Map<string, SharedFolder>();
    this.#chains.set(client, folders);
    const folder = folders.get(cwd) ?? { servers: new Map(), names: new ServerNames(), given: new Map() };
    folders.set(cwd, folder);
    return folder;
  }
}
