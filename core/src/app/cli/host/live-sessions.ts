import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFolder } from "../../../base/node/own-program.js";
import { hostAddress } from "../../../sessions/host/node/host-address.js";
import { askHost } from "../../../sessions/host/node/host-connection.js";
import type { HostStatus } from "../../../sessions/host/node/host-process.js";

export type LiveSession = HostStatus["sessions"][number];

/** Returns the sessions of this version's host; none if no host runs. Starts no host and creates no files. */
export async function liveSessions(): Promise<readonly LiveSession[]> {
  if (!existsSync(join(configFolder(), "host"))) return [];
  const status = await askHost(await hostAddress(), "status");
  return status === undefined ? [] : statusOf(status).sessions;
}

/** Parses the host's status without validating its type, because the host has the same version. */
export function statusOf(text: string): HostStatus {
  return JSON.parse(text) as HostStatus;
}
