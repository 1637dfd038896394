import { type Target, targetText } from "../../network/target.js";
import { saveRule } from "../guard-edit.js";

/**
 * Allows hosts from now on by a rule of the user's guard.jsonc in `config`: everywhere, or for sessions in the folder `within`. Rejects
 * as `saveRule` does.
 */
export async function saveHostRule(
  targets: readonly Target[],
  { config, within }: { readonly config: string; readonly within: string | undefined },
): Promise<void> {
  await saveRule(config, { effect: "allow", subject: "host", patterns: targets.map(targetText), in: within });
}
