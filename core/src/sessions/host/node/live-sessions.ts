import { existsSync } from "node:fs";
import { join } from "node:path";
import { configFolder } from "../../../base/node/own-program.js";
import { hostAddress } from "./host-address.js";
import { askHost } from "./host-connection.js";
import type { SessionStop } from "../host.js";
import type { HostStatus } from "./host-process.js";

export type LiveSession = HostStatus["sessions"][number];

/**
 * Returns the sessions of the host of `version` (default: this version); none if no host runs. Starts no host and creates no files.
 */
export async function liveSessions(version?: string): Promise<readonly LiveSession[]> {
  if (!existsSync(join(configFolder(), "host"))) return [];
  const status = await askHost(await hostAddress(version), "status");
  return status === undefined ? [] : statusOf(status).sessions;
}

/** Cancels a session's turn and its queued prompts, or closes a quiet session without clients or with `ends`. */
export async function stopSession({ sessionId, cwd, ends = false }: SessionStop, version?: string): Promise<void> {
  await askHost(await hostAddress(version), { kind: "stop-session", sessionId, cwd, ends });
}

/** Parses the host's status without validating its type, because the host has the same version. */
export function statusOf(text: string): HostStatus {
  return JSON.parse(text) as HostStatus;
}
