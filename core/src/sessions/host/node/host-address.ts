import { createHash } from "node:crypto";
import { join } from "node:path";
import { productVersion } from "../../../base/node/product-version.js";
import { configFolder } from "../../../base/node/own-program.js";
import { fitsSockets, makePrivateFolder, socketFolder } from "../../../base/node/socket-folder.js";
import { userToken } from "../../../base/node/user-token.js";

/** The socket and the files of a user's host. */
export interface HostAddress {
  /** A local socket's path, or a named pipe. */
  readonly socket: string;
  /** The file that a host locks before it listens there. */
  readonly lock: string;
  /** The secret in the first line of each connection. */
  readonly token: string;
  readonly folder: string;
  readonly logFile: string;
}

/**
 * The address of this user's host of this version. Hosts of other versions have other addresses, so that an update leaves a host
 * with the sessions that it has. The folder of its files is created, for the user only.
 */
export async function hostAddress(): Promise<HostAddress> {
  const folder = join(configFolder(), "host");
  makePrivateFolder(folder);
  const token = await userToken(join(folder, "token"));
  const words = JSON.stringify(["host", productVersion, folder, token]);
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
