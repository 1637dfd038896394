import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { ideOperationsVersion, SymposiumError } from "@symposium-dev/core";
import { configFolder, fitsSockets, makePrivateFolder, socketFolder, userToken } from "@symposium-dev/core/node";

/** Where the adapter of a workspace is reached, and where its files are. */
interface AdapterAddress {
  /** A local socket's path, or a named pipe. */
  readonly socket: string;
  /** What a process locks that begins to listen there. */
  readonly lock: string;
  /** What whoever meets there has to know. */
  readonly token: string;
  readonly logFile: string;
}

/**
 * The same address for everybody of this user who asks about `folder` with the same settings and speaks the same version of
 * the contract; nobody else can compute it. The folder of its files is created, for the user only.
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
      `${folder} is no folder that can be read.`,
      "Open a folder that exists.",
    );
  }
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}
