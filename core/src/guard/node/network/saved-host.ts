import { type Target, targetText } from "../../network/target.js";

/**
 * Saves a rule that allows hosts, everywhere or only in the folder `within`, in the guard.jsonc of `config`. Rejects with the errors of
 * `saveRule`.
 */
export async function saveHostRule(
  targets: readonly Target[],
  { config, within }: { readonly config: string; readonly within: string | undefined },
): Promise<void> {
  const { saveRule } = await import("../guard-edit.js");
  await saveRule(config, { effect: "allow", subject: "host", patterns: targets.map(targetText), in: within });
}
