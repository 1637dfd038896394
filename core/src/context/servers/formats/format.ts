import { asObject, type Members } from "../../../base/rpc/json.js";
import type { ServerInput, UserServer } from "../../../settings/user-server.js";
import type { VariableDialect } from "../foreign-variables.js";
import { type Entry, ownMember } from "./entry.js";

/** What an entry says, its name and origin aside. */
export type ServerContent = Omit<UserServer, "name" | "origin">;

/** Entries of one place of a file. */
export interface EntryGroup {
  readonly entries: Members;
  /** The folder that these are meant for, and no other one; absolute. */
  readonly folder?: string;
}

/** How one product writes MCP servers. Pure: nothing is read, started or expanded. */
export interface Format {
  readonly dialect: VariableDialect;
  /** Where in its file the entries stand. */
  groups(members: Members): readonly EntryGroup[];
  /** What the user is asked for, where it says so. */
  inputs?(members: Members): readonly ServerInput[];
  /** Null where it cannot be used, and `entry` knows why; undefined for what is no server of the user's, such as a part of the product. */
  read(entry: Entry, members: Members): ServerContent | null | undefined;
}

/** The one group of a file whose entries stand below `keys`. */
export function groupAt(...keys: readonly string[]): Format["groups"] {
  return (members) => {
    const entries = keys.reduce<Members | undefined>((found, key) => asObject(ownMember(found, key)), members);
    return entries ? [{ entries }] : [];
  };
}
