import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { atomicWrite } from "../../../node/atomic-write.js";
import { FileLock } from "../../../node/file-lock.js";
import { withItem } from "../../../settings/config-edit.js";
import { type Target, targetText } from "../../network/target.js";
import { guardFileName } from "../guard-files.js";

/**
 * Allows hosts from now on by a rule of the user's guard.jsonc in `config`: everywhere, or for sessions in the folder `within`. What
 * stands in the file stays. Rejects where the file is broken or cannot be written.
 */
export async function saveHostRule(
  targets: readonly Target[],
  { config, within }: { readonly config: string; readonly within: string | undefined },
): Promise<void> {
  const file = join(config, guardFileName);
  await using _lock = await FileLock.take(file);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  const [first, ...more] = targets.map(targetText);
  const host = more.length === 0 ? first : [first, ...more];
  await atomicWrite(
    file,
    withItem(text, "rules", { effect: "allow", host, ...(within !== undefined && { in: within }) }),
  );
}
