import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { ideOperationsVersion, SymposiumError } from "@symposium-dev/core";
import { configFolder, fitsSockets, makePrivateFolder, socketFolder, userToken } from "@symposium-dev/core/node";

interface AdapterAddress {
  /** Path of a local socket or a named pipe. */
  readonly socket: string;
  /** File that a process locks before listening. */
  readonly lock: string;
  /** Secret that both the client and the adapter must know. */
  readonly token: string;
  readonly logFile: string;
}

/**
 * Returns the adapter's address, which is the same for all of this user's processes with the same `folder`, settings and contract version.
 * Other users can't compute the address. Creates the private folder.
 */
export async function adapterAddress(
  folder: string,
  settings: unknown,
  env: NodeJS.ProcessEnv,
): Promise<AdapterAddress> {
  const files = join(configFolder(env), "adapters");
  makePrivateFolder(files);
  const token = await userToken(join(files, "token"));
  const id = digest([realPathOf(folder), JSON.stringify(settings ?? null), String(ideOperationsVersion), files, token]);
  return {
    socket:
      process.platform === "win32"
        ? `\\\\.\\pipe\\symposium-${id}`
        : join(fitsSockets(files) ? files : socketFolder(), `${id}.sock`),
    lock: join(files, id),
    token,
    logFile: join(files, `${id}.log`),
  };
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    throw new SymposiumError(
      "ide-operation-failed",
      `${folder} isn't a readable folder.`,
      "Open a folder that exists.",
    );
  }
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}
