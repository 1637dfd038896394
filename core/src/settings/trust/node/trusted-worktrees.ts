import { FolderTrust } from "../folder-trust.js";
import { TrustFile } from "./trust-file.js";

/**
 * The user's trust, with the folders that whoever started this process vouches for. Of those that are not there, stderr has
 * a line: editors may name a folder that is gone, so that is no failure.
 */
export async function vouchingFor(
  folders: readonly string[] | undefined,
  store: TrustFile = new TrustFile(),
): Promise<FolderTrust> {
  const trust = new FolderTrust(store, folders);
  for (const folder of await trust.missing())
    process.stderr.write(
      `symposium-acp-agent: --trusted-folder ${JSON.stringify(folder)} trusts nothing: there is no such folder. Name one that is there.\n`,
    );
  return trust;
}
