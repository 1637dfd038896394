import { invalidArguments } from "../../../base/symposium-error.js";
import { defaultOpenAiPort, openAiAddress, portOf } from "../../../models/openai/node/endpoint.js";
import { formatShellWords } from "../../../base/shell-words.js";
import { installedAgentServers, withAgentServers, withoutAgentServers } from "../../../agents/zed/installed-agents.js";
import { withLanguageModels, withoutSymposium } from "../../../agents/zed/language-models.js";
import { servedModels } from "../openai-models.js";
import { say, sayResult } from "../output.js";
import { jsonOption } from "../options.js";
import { subcommand } from "../subcommand.js";
import { assertOthersStay, wantedChains, dryRunOption, settingsOptions, chainName } from "./chains.js";
import {
  chooseSettings,
  readSettings,
  writeSettings,
  restored,
  takeBack,
  unifiedDiff,
} from "../../../agents/zed/node/settings-file.js";
import { agentServerName } from "../../../agents/zed/agent-server.js";

interface Addition {
  readonly names: readonly string[];
  readonly notes: readonly string[];
  into(text: string, file: string): string;
}

/**
 * `zed install`: adds the configured chain, or one chain per `--agent`, to Zed's agents, or with `--language-models` to its models.
 * Preserves comments and layout, and backs up the file. With `--dry-run`, only prints the change.
 */
export const install = subcommand({
  name: "zed install",
  about:
    "Add the configured chain to Zed's settings as an agent. Keeps comments and layout, and saves a copy of the old file.",
  options: {
    agent: { value: "X", multiple: true, about: "add a chain with this agent instead; repeatable" },
    "language-models": { about: "add the language models of serve-openai instead" },
    port: { value: "N", about: "with --language-models: the port of serve-openai" },
    ...settingsOptions,
    ...dryRunOption,
    ...jsonOption,
  },
  async run({ values }) {
    const { file, other } = chooseSettings({ settings: values.settings, isFlatpak: values.flatpak === true });
    const texts = values.agent ?? [];
    if (values.port !== undefined && values["language-models"] !== true) {
      throw invalidArguments("zed install: --port requires --language-models.", "Add --language-models.");
    }
    const addition = values["language-models"] === true ? models(texts, values.port) : await agents(texts);
    const before = await readSettings(file);
    const text = addition.into(before ?? "", file);
    const diff = unifiedDiff(before ?? "", text, file);
    const result = { file, names: addition.names, diff };
    if (values["dry-run"] === true) {
      return sayResult(values, result, diff === "" ? `Nothing would change in ${file}.` : diff.trimEnd());
    }
    const names = addition.names.map((name) => `"${name}"`).join(", ");
    if (diff === "") await sayResult(values, result, `${file} already has ${names}.`);
    else {
      const backup = await writeSettings(file, before, text);
      const undo =
        backup === undefined
          ? "The file did not exist; `symposium-acp-agent zed uninstall` removes it."
          : `The old settings are stored in ${backup}; \`symposium-acp-agent zed uninstall\` restores them.`;
      await sayResult(values, { ...result, backup }, `Added to ${file}: ${names}.\n${undo}`);
    }
    const others =
      other === undefined ? [] : [`Another Zed has its settings in ${other}. To change those, use --settings FILE.`];
    for (const note of [...addition.notes, ...others]) process.stderr.write(`${note}\n`);
    return 0;
  },
});

async function agents(texts: readonly string[]): Promise<Addition> {
  const servers = await wantedChains(texts);
  const isInCache = servers.some(({ command }) => command.args.some((word) => /[\\/]_npx[\\/]/.test(word)));
  return {
    names: servers.map(({ name }) => name),
    notes: isInCache
      ? ["Symposium runs from the npx cache, which npm may clear. Install the package, then run this command again."]
      : [],
    into: (text, file) => {
      assertOthersStay(servers, installedAgentServers(text, file));
      return withAgentServers(text, servers, file);
    },
  };
}

function models(texts: readonly string[], portText: string | undefined): Addition {
  const offered = servedModels(texts);
  const port = portOf(portText);
  const words = ["serve-openai", ...texts.flatMap((text) => ["--agent", text])];
  if (port !== defaultOpenAiPort) words.push("--port", String(port));
  const line = formatShellWords({ command: "symposium-acp-agent", args: words, env: {} }) ?? words.join(" ");
  return {
    names: offered.map(({ name }) => name),
    notes: [
      `Run \`${line}\` while you use the models. When Zed asks for a key, enter the token; that command prints where the token is.`,
    ],
    into: (text, file) => withLanguageModels(text, openAiAddress(port), offered, file),
  };
}

/**
 * `zed uninstall`: reverts install's changes in Zed's settings, byte for byte if nobody has edited the file since. `--agent` removes only
 * that chain; `--dry-run` only prints the change.
 */
export const uninstall = subcommand({
  name: "zed uninstall",
  about: "Remove Symposium from Zed's settings. Restores the exact old file if you haven't edited it since.",
  options: {
    agent: { value: "X", multiple: true, about: "remove only the chain with this agent; repeatable" },
    ...settingsOptions,
    ...dryRunOption,
  },
  async run({ values }) {
    const { file } = chooseSettings({ settings: values.settings, isFlatpak: values.flatpak === true });
    const current = await readSettings(file);
    if (current === undefined) return say(`${file} does not exist.`);
    const names = values.agent && new Set(await Promise.all(values.agent.map(nameOf)));
    const without = names ? withoutAgentServers(current, file, names) : withoutSymposium(current, file);
    if (without === current) return say(`${file} contains no Symposium entries.`);
    const left = names ? { text: without, isExact: false } : await restored(file, current, without);
    if (values["dry-run"] === true) return say(unifiedDiff(current, left.text ?? "", file).trimEnd());
    if (names) {
      await writeSettings(file, current, without);
      return say(`Removed from ${file}: "${[...names].join('", "')}".`);
    }
    await takeBack(file, current, left);
    return say(
      left.isExact ? `Restored ${file} to its earlier state.` : `Removed from ${file}; later edits were kept.`,
    );
  },
});

async function nameOf(text: string): Promise<string> {
  return chainName(text).catch(() => agentServerName(text));
}
