import { asObject, type Members } from "../../../base/rpc/json.js";
import type { ServerInput, UserServer } from "../../../settings/user-server.js";
import type { VariableDialect } from "../foreign-variables.js";
import { type Entry, ownMember } from "./entry.js";

export type ServerContent = Omit<UserServer, "name" | "origin">;

export interface EntryGroup {
  readonly entries: Members;
  /** Absolute path of the only folder that the entries apply to; undefined if they apply everywhere. */
  readonly folder?: string;
}

/** Format of one product's MCP server list. Implementations are pure: they read no files, start no servers and expand no variables. */
export interface Format {
  readonly dialect: VariableDialect;
  groups(members: Members): readonly EntryGroup[];
  /** Reads the inputs to ask the user for. */
  inputs?(members: Members): readonly ServerInput[];
  /**
   * Reads a server entry. Returns null if the entry is unusable and `entry` has the fault; returns undefined if the entry isn't a user's
   * server, for example a part of the product.
   */
  read(entry: Entry, members: Members): ServerContent | null | undefined;
}

export function groupAt(...keys: readonly string[]): Format["groups"] {
  return (members) => {
    const entries = keys.reduce<Members | undefined>((found, key) => asObject(ownMember(found, key)), members);
    return entries ? [{ entries }] : [];
  };
}
