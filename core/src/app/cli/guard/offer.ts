import { plainText } from "../../../agents/registry/registry-entry.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { readAgentText } from "../../../agents/node/find-agent.js";
import { readSoundConfig } from "../../read-user-config.js";
import { sandboxOffer, takeBackOffer } from "../../../guard/node/sandbox/sandbox-offer.js";
import { subcommand } from "../subcommand.js";

/** `guard offer AGENT`: lets an editor suggest the sandbox to its user once. */
export const offer = subcommand({
  name: "guard offer",
  about:
    "For editors: report whether to suggest the sandbox for an agent. The answer is yes once per agent, across all editors.",
  arguments: { "<AGENT>": "the agent, as for run-with" },
  options: {
    editor: { about: "for editors that start agents by run-with: ignore `guard` in config.jsonc" },
    json: { about: "print one line of JSON" },
    "not-shown": {
      about: "withdraw the answer about this agent, because its user didn't see it",
    },
  },
  async run({ values, positionals: [agent = ""] }) {
    const component = readAgentText(agent);
    if (values["not-shown"] === true) {
      await takeBackOffer(component);
      return 0;
    }
    const config = values.editor === true ? undefined : await readSoundConfig("go-on");
    const { guard: usual } = config?.settings ?? defaultSettings;
    const found = await sandboxOffer(component, { folder: process.cwd(), usual });
    const told = found?.claim() === true ? found : undefined;
    const text =
      values.json === true
        ? JSON.stringify({ sandbox: told ? { id: told.id, name: told.name } : null })
        : plainText(told ? `${told.name} could run in a sandbox: tell the user.` : "Nothing to suggest.");
    await new Promise<void>((resolve) => {
      process.stdout.write(`${text}\n`, (error) => {
        // The editor disappeared before it received the answer.
        if (error) told?.takeBack();
        resolve();
      });
    });
    return 0;
  },
});
