import type { AgentServer } from "../../zed/agent-server.js";
import { withAgentServers } from "../../zed/installed-agents.js";
import { unifiedDiff } from "../../zed/unified-diff.js";
import { parseCommandLine } from "../command-line.js";
import { wantedChains } from "./chains.js";
import { settingsOptions } from "./settings-options.js";
import { chooseSettings, readSettings, writeSettings } from "./zed-settings.js";

const options = {
  ...settingsOptions,
  agent: { type: "string", multiple: true },
} as const;

/**
 * `zed install`: adds the configured chain, or one for every `--agent`, to the agents in Zed's settings. Comments and
 * layout stay, and what the file held is kept. With `--dry-run` it only prints the change.
 */
export async function install(words: readonly string[]): Promise<number> {
  const { values } = parseCommandLine("zed install", words, options);
  const chosen = chooseSettings({ settings: values.settings, isFlatpak: values.flatpak === true });
  const { file } = chosen;
  const servers = await wantedChains(values.agent ?? []);
  const before = await readSettings(file);
  const text = withAgentServers(before ?? "", servers, file);
  const diff = unifiedDiff(before ?? "", text, file);
  if (values["dry-run"] === true) {
    process.stdout.write(diff === "" ? `Nothing would change in ${file}.\n` : diff);
    return 0;
  }
  if (diff === "") process.stdout.write(`${file} has it already: ${namesOf(servers)}.\n`);
  else {
    const backup = await writeSettings(file, before, text);
    process.stdout.write(`Added to ${file}: ${namesOf(servers)}.\n`);
    process.stdout.write(`What it held is kept in ${backup}; \`symposium-acp-agent zed uninstall\` restores it.\n`);
  }
  for (const note of notesOn(servers, chosen.other)) process.stderr.write(`${note}\n`);
  return 0;
}

function namesOf(servers: readonly AgentServer[]): string {
  return servers.map(({ name }) => `"${name}"`).join(", ");
}

function notesOn(servers: readonly AgentServer[], other: string | undefined): readonly string[] {
  const isInCache = servers.some(({ command }) => command.args.some((word) => /[\\/]_npx[\\/]/.test(word)));
  return [
    ...(isInCache ? ["It was started by npx, whose cache npm may clear: install the package, and repeat this."] : []),
    ...(other === undefined ? [] : [`Another Zed has its settings in ${other}: --settings FILE reaches it.`]),
  ];
}
