import { createHash } from "node:crypto";
import { join } from "node:path";
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
  const words = JSON.stringify(["host", version, folder, token]);
  const id = createHash("sha256").update(words).digest("hex").slice(0, 24);
  return {
    socket:
      process.platform === "win32"
        ? `\\\\.\\pipe\\symposium-${id}`
        : join(fitsSockets(folder) ? folder : socketFolder(), `${id}.sock`),
    lock: join(folder, id),
    token,
    folder,
    logFile: join(folder, "host.log"),
  };
}
