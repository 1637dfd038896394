import { homedir } from "node:os";
import { isInNpxCache } from "../node/npx-cache.js";
import { builtInAgent } from "../registry/built-in-agents.js";
import { shippedPackageSize, sizeWords } from "../registry/download-size.js";

/** Says on stderr what npx downloads at the start of the known agent `id`, and how much, unless it has it. */
export async function warnOfNpxDownload(id: string): Promise<void> {
  const name = builtInAgent(id)?.npmPackage;
  if (name === undefined || (await isInNpxCache(name, process.env, homedir()))) return;
  process.stderr.write(
    `${id} is not installed: npx downloads ${name}, ${sizeWords(shippedPackageSize(name))}, unless npm has it already.\n`,
  );
}
