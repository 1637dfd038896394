import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { invalidArguments, messageOf } from "../../../base/symposium-error.js";
import { Logger } from "../../../base/logger.js";
import { importSession } from "../../../sessions/conversations/node/import-session.js";
import { systemCode } from "../../../base/node/atomic-write.js";
import { conversationSettings, sessionsFolder } from "../../recorded-conversations.js";
import { isExistingPath } from "../../../base/secrets/node/existing-path.js";
import { KnownSecrets } from "../../../base/secrets/known-secrets.js";
import { say } from "../output.js";
import { subcommand } from "../subcommand.js";

export const importConversation = subcommand({
  name: "sessions import",
  about: "Import a conversation exported with `sessions export --format jsonl`. Prints its id.",
  arguments: { "<FILE>": "the exported file; it isn't changed" },
  async run({ positionals: [word = ""] }) {
    const { keep, days } = await conversationSettings(new Logger(() => undefined));
    if (!keep) {
      throw invalidArguments(
        "Conversations are not stored on this machine, because config.jsonc turns that off or can't be read.",
        'Set `"conversations": { "keep": true }` there.',
      );
    }
    const secrets = new KnownSecrets({ isExistingPath });
    secrets.learn(process.env);
    const file = resolve(word);
    try {
      await say(await importSession({ folder: sessionsFolder(), file, mask: (text) => secrets.mask(text), days }));
    } catch (fault) {
      const isFolder = systemCode(fault) === "EISDIR";
      if (!isFolder && (systemCode(fault) !== "ENOENT" || existsSync(file))) throw fault;
      if (isFolder) {
        throw invalidArguments(`${file} is a folder.`, "Give the exported file.");
      }
      throw invalidArguments(`${file} cannot be read: ${messageOf(fault)}.`, "Check its path.");
    }
    return 0;
  },
});
