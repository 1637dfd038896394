import { type Target, targetText } from "../../network/target.js";
import { saveRule } from "../guard-edit.js";

/** Saves a rule that allows hosts in the guard.jsonc of `config`: everywhere, or in the folder `within`. Rejects as `saveRule` does. */
export async function saveHostRule(
  targets: readonly Target[],
  { config, within }: { readonly config: string; readonly within: string | undefined },
): Promise<void> {
  await saveRule(config, { effect: "allow", subject: "host", patterns: targets.map(targetText), in: within });
}
