import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "./repository.js";

// Runs the command as from the sources, with the policy of the folder in the first argument. The released command has no such argument.
const [folder = ""] = process.argv.splice(2, 1);
const built = (path: string): string => pathToFileURL(join(repositoryRoot, "core", "dist", "src", path)).href;
const { usePolicyFolder } = (await import(built("settings/managed-policy/node/system-policy.js"))) as {
  usePolicyFolder: (folder: string, owners: readonly number[]) => Disposable;
};
usePolicyFolder(folder, [0, process.getuid?.() ?? 0]);
await import(built("app/cli/main.js"));
