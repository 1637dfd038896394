import { FolderTrust } from "../folder-trust.js";
import { TrustFile } from "./trust-file.js";

/**
 * Returns the user's trust including vouched folders. Prints missing ones on stderr instead of failing, since editors may name a deleted
 * folder.
 */
export async function vouchingFor(
  folders: readonly string[] | undefined,
  store: TrustFile = new TrustFile(),
): Promise<FolderTrust> {
  const trust = new FolderTrust(store, folders);
  for (const folder of await trust.missing())
    process.stderr.write(
      `symposium-acp-agent: --trusted-folder ${JSON.stringify(folder)} has no effect: there is no such folder. Name an existing ` +
        "folder.\n",
    );
  return trust;
}
