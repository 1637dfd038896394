import { readFileSync } from "node:fs";
import { join } from "node:path";
import { here } from "./options.js";
import { invalidArguments } from "../../base/symposium-error.js";
import { configFolder } from "../../base/node/own-program.js";

/**
 * Forwards a subcommand's messages to the host, here or on another machine, if an option or config.jsonc requests it; resolves with
 * undefined otherwise. Loads neither the option parser nor the chain, because editors wait for this start.
 */
export async function passedToHost(name: string, given: readonly string[]): Promise<number | undefined> {
  if (given.includes("--help") || given.includes("-h")) return undefined;
  const settings = name === "run-with" ? {} : startSettings();
  const { words, on, folder } = name === "zed run" ? { words: given } : withoutMachine(given);
  const isElsewhere = on === undefined ? name === "run" && settings.on !== undefined : on !== here;
  if (isElsewhere || folder !== undefined) {
    const { runElsewhere } = await import("./run-elsewhere.js");
    const conductor = [name, ...words.filter((word) => word !== "--host")];
    return runElsewhere({
      on,
      configured: settings.on,
      folder,
      shared: startSettings().sharedServers,
      words: conductor,
    });
  }
  const isAsked = words.includes("--host");
  if (!isAsked && settings.host !== "on") return undefined;
  if (name === "run-with" && !words.some((word) => /^--agent(?:=|$)/.test(word))) {
    throw invalidArguments(
      "--host needs --agent: without an agent, this is a proxy of the conductor that starts it.",
      "Leave --host out.",
    );
  }
  const { throughHost } = await import("./through-host.js");
  return throughHost([...name.split(" "), ...words.filter((word) => word !== "--host")]);
}

const comments = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
const trailingCommas = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

/** Separates `--on` and `--folder` from the other words. */
function withoutMachine(given: readonly string[]): {
  readonly words: readonly string[];
  readonly on?: string;
  readonly folder?: string;
} {
  const found: { on?: string; folder?: string } = {};
  const words: string[] = [];
  for (let index = 0; index < given.length; index++) {
    const word = given[index] ?? "";
    const [, name, value] = /^--(on|folder)(?:=([^]*))?$/.exec(word) ?? [];
    if (name === "on" || name === "folder") found[name] = value ?? given[++index] ?? "";
    else words.push(word);
  }
  return { words, ...found };
}

interface StartSettings {
  readonly host?: unknown;
  readonly on?: unknown;
  readonly sharedServers?: unknown;
}

/** Reads `host`, `on` and `sharedServers` from config.jsonc. Empty for an unreadable file, since the chain reports that problem. */
export function startSettings(): StartSettings {
  try {
    const text = readFileSync(join(configFolder(), "config.jsonc"), "utf8");
    return /"(?:host|on|sharedServers)"/.test(text) ? startSettingsIn(text) : {};
  } catch {
    return {};
  }
}

/** Reads the settings of {@link startSettings} without loading the full configuration parser. */
export function startSettingsIn(text: string): StartSettings {
  const kept = (token: string): string => (token.startsWith('"') ? token : " ");
  const json = text.replace(comments, kept).replace(trailingCommas, kept);
  const value: unknown = JSON.parse(json);
  if (typeof value !== "object" || value === null) return {};
  return {
    ...("host" in value && { host: value.host }),
    ...("on" in value && value.on !== null && { on: value.on }),
    ...("sharedServers" in value && { sharedServers: value.sharedServers }),
  };
}
