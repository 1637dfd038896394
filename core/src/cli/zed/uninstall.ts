import { withoutAgentServers } from "../../zed/installed-agents.js";
import { unifiedDiff } from "../../zed/unified-diff.js";
import { withoutSymposium } from "../../zed/language-models.js";
import { agentServerName } from "../../zed/agent-server.js";
import { subcommand } from "../subcommand.js";
import { chainName, dryRunOption, settingsOptions } from "./chains.js";
import { chooseSettings, readSettings, restored, takeBack, writeSettings } from "../../zed/node.js";

/**
 * `zed uninstall`: takes what install changed out of Zed's settings again, to the byte where nobody has edited them
 * since. With `--agent` only that chain goes, `--dry-run` only prints the change.
 */
export const uninstall = subcommand({
  name: "zed uninstall",
  about: "Take what install added out of Zed's settings again, to the byte where nothing was edited since.",
  options: {
    agent: { value: "X", multiple: true, about: "only the chain before this agent; repeatable" },
    ...settingsOptions,
    ...dryRunOption,
  },
  async run({ values }) {
    const { file } = chooseSettings({ settings: values.settings, isFlatpak: values.flatpak === true });
    const current = await readSettings(file);
    if (current === undefined) return say(`There is no ${file}.`);
    const names = values.agent && new Set(await Promise.all(values.agent.map(nameOf)));
    const without = names ? withoutAgentServers(current, file, names) : withoutSymposium(current, file);
    if (without === current) return say(`Nothing of Symposium stands in ${file}.`);
    const left = names ? { text: without, isExact: false } : await restored(file, current, without);
    if (values["dry-run"] === true) return say(unifiedDiff(current, left.text ?? "", file).trimEnd());
    if (names) {
      await writeSettings(file, current, without);
      return say(`Removed from ${file}: "${[...names].join('", "')}".`);
    }
    await takeBack(file, current, left);
    return say(
      left.isExact ? `${file} is as it was before.` : `Removed from ${file}; what was edited since then stays.`,
    );
  },
});

/** An agent that is gone from this machine still has a name. */
async function nameOf(text: string): Promise<string> {
  return chainName(text).catch(() => agentServerName(text));
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return 0;
}
