import { FolderTrust } from "../trust/folder-trust.js";

/** Trusts every folder: for tests of what runs in one. */
export function trusting(): FolderTrust {
  return new FolderTrust({
    realPath: (folder) => Promise.resolve(folder),
    has: () => Promise.resolve(true),
    add: () => Promise.resolve(),
  });
}
