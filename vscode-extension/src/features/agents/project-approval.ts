import * as z from "zod/mini";
import type { CommandLine } from "./command-line.js";

/** What `symposium-acp-agent trust DIR --question` prints. */
const question = z.object({
  state: z.enum(["approved", "unasked", "refused", "never"]),
  digest: z.optional(z.string()),
  title: z.optional(z.string()),
  text: z.optional(z.string()),
  warnings: z.array(z.string()),
});

/** What allowing a project's configuration needs of the editor. */
export interface ApprovalDialog {
  /** Shows all that would be allowed; whether the user agrees. */
  confirm(title: string, text: string): Promise<boolean>;
  say(message: string): void;
}

/**
 * Shows what a folder's `.symposium/config.jsonc` asks for, and allows exactly that where the user agrees: what has changed
 * meanwhile is refused. Resolves to whether it is allowed now; rejects in the command's words.
 */
export async function approveProject(
  commandLine: Pick<CommandLine, "json" | "run">,
  folder: string,
  dialog: ApprovalDialog,
): Promise<boolean> {
  const { state, digest, title, text, warnings } = await commandLine.json(["trust", folder, "--question"], question);
  if (state === "approved") return true;
  if (digest === undefined || title === undefined || text === undefined) {
    dialog.say(["This project's configuration cannot be allowed.", ...warnings].join(" "));
    return false;
  }
  if (!(await dialog.confirm(title, text))) return false;
  dialog.say(await commandLine.run(["trust", folder, "--allow", digest]));
  return true;
}
