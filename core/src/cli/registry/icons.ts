import { homedir } from "node:os";
import { join } from "node:path";
import { configFolder } from "../../node/config-file.js";
import type { AgentRegistry } from "../../node/registry/agent-registry.js";
import { IconCache } from "../../node/registry/icon-cache.js";
import { defaultSettings } from "../../settings/settings-table.js";
import { readUserConfig } from "../configuration.js";
import { say } from "./output.js";

/** `registry icons`: the agents' icons as SVG texts by id, one line of JSON. They are fetched where the list is. */
export async function icons(registry: AgentRegistry, isOffline: boolean): Promise<number> {
  const state = await readUserConfig("to-install");
  const { registryUrl, registryFallbackUrl } = state.state === "ok" ? state.config.settings : defaultSettings;
  const hosts = [registryUrl, registryFallbackUrl].flatMap((address) => URL.parse(address)?.host ?? []);
  const { entries } = await registry.list("agent");
  const cache = new IconCache({
    file: join(configFolder(process.env, homedir()), "cache", "icons.json"),
    hosts,
    isOffline,
  });
  const loaded = await cache.load(entries.flatMap(({ icon }) => icon ?? []));
  const byId = entries.flatMap(({ id, icon = "" }) => {
    const text = loaded.get(icon);
    return text === undefined ? [] : [[id, text] as const];
  });
  return say(JSON.stringify(Object.fromEntries(byId)));
}
