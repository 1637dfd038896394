import { createHash } from "node:crypto";
import { join } from "node:path";
import { fnv1a } from "../../../base/fnv1a.js";
import { productVersion } from "../../../base/node/product-version.js";
import { configFolder } from "../../../base/node/own-program.js";
import { fitsSockets, makePrivateFolder, socketFolder } from "../../../base/node/socket-folder.js";
import { userToken } from "../../../base/node/user-token.js";

export interface HostAddress {
  /** Path of a local socket or a named pipe. */
  readonly socket: string;
  /** File that a host locks before listening. */
  readonly lock: string;
  /** Secret in the first line of each connection. */
  readonly token: string;
  readonly folder: string;
  readonly logFile: string;
}

/**
 * Returns the address of this user's host for this version. The version is part of the address, so an update doesn't end a host with
 * sessions. Creates the private folder.
 */
export async function hostAddress(version = productVersion): Promise<HostAddress> {
  const folder = join(configFolder(), "host");
  makePrivateFolder(folder);
  const token = await userToken(join(folder, "token"));
  const isInOwnFolder = process.platform !== "win32" && fitsSockets(folder);
  // Editors wait for this start, and loading `node:crypto` takes milliseconds. In a private folder, the name needn't be secret.
  const id = isInOwnFolder ? fnv1a(version + token).toString(16) : secretName(["host", version, folder, token]);
  return {
    socket:
      process.platform === "win32"
        ? `\\\\.\\pipe\\symposium-${id}`
        : join(isInOwnFolder ? folder : socketFolder(), `${id}.sock`),
    lock: join(folder, id),
    token,
    folder,
    logFile: join(folder, "host.log"),
  };
}

function secretName(words: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(words)).digest("hex").slice(0, 24);
}
