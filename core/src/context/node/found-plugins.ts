import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { realPlace } from "../../base/node/folders.js";
import type { NamedFolder } from "../../agents/registry/agent-files.js";
import { asObject, parsedObject } from "../../base/rpc/json.js";
import type { ContextPlaces } from "./places.js";
import { readTextFile } from "./text-files.js";

/** A folder with skills and commands, in the format of Claude Code or Agent Plugins (agent-plugins.org). */
export interface FoundPlugin {
  /** Prefix for the names of the plugin's contents, followed by a colon. */
  readonly name: string;
  /** Absolute real path of the plugin's folder. Links that lead out of the folder aren't followed. */
  readonly folder: string;
  /** Agents that read the plugin by themselves. */
  readonly form: NamedFolder;
}

const nameForm = /^[A-Za-z0-9][\w.-]{0,63}$/;

/**
 * Finds the user's plugins: enabled Claude Code plugins and folders in `~/.agents/plugins`. Only reads files and runs nothing. Never
 * rejects.
 */
export async function findPlugins(places: ContextPlaces): Promise<readonly FoundPlugin[]> {
  const [ofClaude, shared] = await Promise.all([claudePlugins(places), sharedPlugins(places)]);
  const found = [...ofClaude, ...shared];
  return found.filter(({ name }, index) => found.findIndex((other) => other.name === name) === index);
}

async function sharedPlugins({ home }: ContextPlaces): Promise<readonly FoundPlugin[]> {
  const base = join(home, ".agents", "plugins");
  const names = await readdir(base).catch(() => []);
  const found = await Promise.all(names.sort().map((name) => pluginIn(join(base, name), [])));
  return found.flat();
}

/** Reads Claude Code's list of plugins. A plugin installed for a project applies only in that project's folder. */
async function claudePlugins({ home, env, roots }: ContextPlaces): Promise<readonly FoundPlugin[]> {
  const named = env["CLAUDE_CONFIG_DIR"];
  const folder = named !== undefined && isAbsolute(named) ? named : join(home, ".claude");
  const listed = asObject((await readJson(join(folder, "plugins", "installed_plugins.json")))?.["plugins"]);
  if (!listed) return [];
  const [root = home] = roots;
  const [ofUser, ofProject, ofPerson] = await Promise.all(
    [
      join(folder, "settings.json"),
      join(root, ".claude", "settings.json"),
      join(root, ".claude", "settings.local.json"),
    ].map(async (file) => asObject((await readJson(file))?.["enabledPlugins"]) ?? {}),
  );
  const found = Object.entries(listed).map(async ([id, entries]) => {
    const all: readonly unknown[] = Array.isArray(entries) ? entries : [entries];
    const plugins = all.map(async (entry) => {
      const { scope = "user", installPath, projectPath } = asObject(entry) ?? {};
      if (typeof installPath !== "string" || !isAbsolute(installPath)) return [];
      const isUsers = scope === "user";
      if (!isUsers && projectPath !== root) return [];
      const isOn = [ofPerson, ofProject, ofUser].map((settings) => settings?.[id]).find((one) => one !== undefined);
      // A repository can disable plugins, but can enable only plugins that the user has installed and enabled.
      return isOn === true && (!isUsers || ofUser?.[id] === true) ? pluginIn(installPath, ["claude-code"]) : [];
    });
    return (await Promise.all(plugins)).flat();
  });
  return (await Promise.all(found)).flat();
}

async function pluginIn(path: string, readBy: readonly string[]): Promise<readonly FoundPlugin[]> {
  const folder = await realPlace(path);
  if (folder === undefined) return [];
  const said =
    (await readJson(join(folder, "plugin.json"), folder)) ??
    (await readJson(join(folder, ".claude-plugin", "plugin.json"), folder));
  const name = said?.["name"];
  if (typeof name !== "string" || !nameForm.test(name)) return [];
  return [{ name, folder, form: { path: "", readBy } }];
}

async function readJson(path: string, within?: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  return parsedObject((await readTextFile(path, within))?.text ?? "");
}
