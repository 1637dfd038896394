import { asObject } from "../../../base/rpc/json.js";
import { nameFault, usedInputs } from "../../../settings/mcp-servers.js";
import type { ServerOrigin, UserServer } from "../../../settings/user-server.js";
import { Entry } from "./entry.js";
import type { Format } from "./format.js";
import type { ProductId, ServerFile } from "./server-files.js";

/** A server in another product's file, as ours. */
export interface FoundServer {
  /** Its origin is the file it was found in. */
  readonly server: UserServer;
  /** The folder that it is meant for, and no other one; absolute. */
  readonly folder?: string;
  /** What of it could not be carried over, in sentences. */
  readonly notes: readonly string[];
}

/** What a file has. */
interface FoundServers {
  readonly servers: readonly FoundServer[];
  /** What could not be read, in sentences. */
  readonly problems: readonly string[];
}

/** A file of another product that is there, and the servers in it. */
export interface FoundFile extends FoundServers {
  readonly product: ProductId;
  /** For people. */
  readonly productName: string;
  /** Absolute. */
  readonly path: string;
  /** Whether it is the user's own, or belongs to the project. */
  readonly kind: "user" | "project";
  /** The agents that read it by themselves. */
  readonly readBy: ServerFile["readBy"];
}

/** More than this is no list that somebody wrote. */
const maxServers = 1_000;

/** The servers of a parsed file. Never throws. */
export function readServers(value: unknown, format: Format, origin: ServerOrigin): FoundServers {
  const members = asObject(value);
  if (!members) return { servers: [], problems: value === undefined ? [] : ["It is no object."] };
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
      const why = unusable?.message ?? (asObject(given) ? entry.fault : "It is no object.");
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
