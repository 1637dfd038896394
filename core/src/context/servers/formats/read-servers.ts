import { asObject } from "../../../base/rpc/json.js";
import { nameFault, usedInputs } from "../../../settings/mcp-servers.js";
import type { ServerOrigin, UserServer } from "../../../settings/user-server.js";
import { Entry } from "./entry.js";
import type { Format } from "./format.js";
import type { ProductId, ServerFile } from "./server-files.js";

export interface FoundServer {
  /** The converted server, with the file as its origin. */
  readonly server: UserServer;
  /** Absolute path of the only folder that the server applies to; undefined if it applies everywhere. */
  readonly folder?: string;
  /** Sentences about information that can't be imported. */
  readonly notes: readonly string[];
}

interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** Sentences about unreadable parts of the file. */
  readonly problems: readonly string[];
}

export interface FoundFile extends FoundServers {
  readonly product: ProductId;
  readonly productName: string;
  readonly path: string;
  /** Whether the file belongs to the user or to the project's repository. */
  readonly kind: "user" | "project";
  readonly readBy: ServerFile["readBy"];
}

/** Maximum number of servers in a file. A longer list wasn't written by hand. */
const maxServers = 1_000;

/** Reads the servers of a parsed file. Never throws. */
export function readServers(value: unknown, format: Format, origin: ServerOrigin): FoundServers {
  const members = asObject(value);
  if (!members) return { servers: [], problems: value === undefined ? [] : ["It must be an object."] };
  const servers: FoundServer[] = [];
  const problems: string[] = [];
  const inputs = format.inputs?.(members) ?? [];
  for (const { entries, folder } of format.groups(members)) {
    for (const [name, given] of Object.entries(entries)) {
      if (servers.length === maxServers)
        return { servers, problems: [...problems, `It has more than ${maxServers} servers.`] };
      const unusable = nameFault(name);
      const entry = new Entry(name, asObject(given) ?? {}, format.dialect);
      const content = !unusable && asObject(given) ? format.read(entry, members) : undefined;
      const why = unusable?.message ?? (asObject(given) ? entry.fault : "It must be an object.");
      if (why !== undefined) problems.push(unusable ? why : `${JSON.stringify(name)} is left out. ${why}`);
      else if (content) {
        const used = usedInputs(inputs, content.launch);
        const kind = folder === undefined ? origin.kind : "local";
        const server = { name, ...content, origin: { ...origin, kind }, ...(used.length > 0 && { inputs: used }) };
        servers.push({ server, notes: entry.notes, ...(folder !== undefined && { folder }) });
      }
    }
  }
  return { servers, problems };
}
