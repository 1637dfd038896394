import * as l10n from "@vscode/l10n";
import * as z from "zod/mini";
import type { SubcommandRunner } from "./subcommand-runner.js";

/** Output of `symposium-acp-agent trust DIR --question`. */
const question = z.object({
  state: z.enum(["approved", "unasked", "refused", "never"]),
  digest: z.optional(z.string()),
  title: z.optional(z.string()),
  text: z.optional(z.string()),
  warnings: z.array(z.string()),
});

export interface ApprovalDialog {
  confirm(title: string, text: string): Promise<boolean>;
  say(message: string): void;
}

/**
 * Shows a folder's `.symposium/config.jsonc` and allows exactly the shown content if the user agrees; fails if it changed meanwhile.
 * Returns whether the configuration is allowed; rejects with the command's message.
 */
export async function approveProject(
  commandLine: Pick<SubcommandRunner, "json" | "run">,
  folder: string,
  dialog: ApprovalDialog,
): Promise<boolean> {
  const { state, digest, title, text, warnings } = await commandLine.json(["trust", folder, "--question"], question);
  if (state === "approved") return true;
  if (digest === undefined || title === undefined || text === undefined) {
    dialog.say([l10n.t("This project's configuration can't be allowed."), ...warnings].join(" "));
    return false;
  }
  if (!(await dialog.confirm(title, text))) return false;
  dialog.say(await commandLine.run(["trust", folder, "--allow", digest]));
  return true;
}
