import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { configFolder } from "../../base/node/own-program.js";

/**
 * Forwards a subcommand's messages to the host if `--host` or config.jsonc requests it; resolves with undefined otherwise. Loads neither
 * the option parser nor the chain, because editors wait for this start.
 */
export async function passedToHost(name: string, words: readonly string[]): Promise<number | undefined> {
  const isAsked = words.includes("--host");
  const isConfigured = name !== "run-with" && configAsksForHost();
  if ((!isAsked && !isConfigured) || words.includes("--help") || words.includes("-h")) return undefined;
  if (name === "run-with" && !words.some((word) => /^--agent(?:=|$)/.test(word))) {
    throw new SymposiumError(
      "invalid-arguments",
      "--host needs --agent: without an agent, this is a proxy of the conductor that starts it.",
      "Leave --host out.",
    );
  }
  const { throughHost } = await import("./through-host.js");
  return throughHost([...name.split(" "), ...words.filter((word) => word !== "--host")]);
}

const comments = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
const trailingCommas = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

/** Whether config.jsonc contains `"host": "on"`. False for an unreadable file, since the chain reports that problem. */
export function configAsksForHost(): boolean {
  try {
    const text = readFileSync(join(configFolder(), "config.jsonc"), "utf8");
    return text.includes('"host"') && hostUseIn(text) === "on";
  } catch {
    return false;
  }
}

/** Reads the `host` setting without loading the full configuration parser. */
export function hostUseIn(text: string): unknown {
  const kept = (token: string): string => (token.startsWith('"') ? token : " ");
  const json = text.replace(comments, kept).replace(trailingCommas, kept);
  const value: unknown = JSON.parse(json);
  return typeof value === "object" && value !== null && "host" in value ? value.host : undefined;
}
