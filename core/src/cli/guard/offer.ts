import { plainText } from "../../registry/registry-entry.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { readAgentText } from "../../start/components.js";
import { readSoundConfig } from "../../start/configuration.js";
import { sandboxOffer } from "../../start/sandbox-offer.js";
import { say } from "../registry/output.js";
import { subcommand } from "../subcommand.js";

/** `guard offer AGENT`: for editors, which tell their users of the sandbox once. */
export const offer = subcommand({
  name: "guard offer",
  about:
    "For editors: whether to tell the user that an agent could run in a sandbox here. It is yes once for each agent, in all editors together.",
  arguments: { "<AGENT>": "the agent, as for run-with" },
  options: {
    editor: { about: "for an editor that starts agents by run-with: the setting `guard` of config.jsonc is not its" },
    json: { about: "as one line of JSON" },
  },
  async run({ values, positionals: [agent = ""] }) {
    const config = values.editor === true ? undefined : await readSoundConfig("go-on");
    const { guard: usual } = config?.settings ?? defaultSettings;
    const found = await sandboxOffer(readAgentText(agent), { folder: process.cwd(), usual });
    const told = found?.claim() === true ? { id: found.id, name: found.name } : undefined;
    if (values.json === true) return say(JSON.stringify({ sandbox: told ?? null }));
    return say(plainText(told ? `${told.name} could run in a sandbox: tell the user.` : "There is nothing to tell."));
  },
});
