import { SymposiumError } from "../../base/symposium-error.js";
import type { AgentHold, HoldWish } from "../../conductor/choices/protection-choice.js";
import type { Choice } from "../../conductor/choices/choice.js";
import { saveLevel } from "./guard-edit.js";
import { ProposedRules } from "./proposed-rules.js";
import { configFolder } from "../../base/node/own-program.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { agentStatus } from "./guard-status.js";
import type { RunningProtection } from "./running-protection.js";

type Status = Awaited<ReturnType<typeof agentStatus>>;

const held: Readonly<Record<HoldWish, string>> = {
  sandbox: "runs in a sandbox",
  rules: "is held to your rules, without a sandbox",
  off: "is held by nothing but its own manner of asking",
  default: "is held as if nothing had been said of it",
};

/**
 * What `/symposium:guard` shows and changes: the user's guard.jsonc, where `usual` is the setting `guard`, and `running` knows how the
 * agents of this process were held when they started.
 */
export function agentHold(
  componentOf: (choice: Choice) => Component,
  usual: ProtectionLevel,
  running?: Pick<RunningProtection, "startedAs">,
): AgentHold {
  const config = configFolder();
  const status = async (choice: Choice, folder: string): Promise<Status> => {
    const found = await agentStatus(componentOf(choice), { folder, usual });
    // Who has asked need not be told that there is something to ask for.
    if (found.isKnown) new ProposedRules(config).claim(found.id);
    return found;
  };
  return {
    describe: async (choice, folder) => {
      const found = await status(choice, folder);
      return describe(found, running?.startedAs(found.id));
    },
    hold: async (choice, folder, wish, signal) => {
      const { id, isBuiltIn, isKnown, missing, summary } = await status(choice, folder);
      if (isBuiltIn) throw new SymposiumError("invalid-arguments", summary);
      if (wish === "sandbox" && missing) {
        throw new SymposiumError(
          "sandbox-unavailable",
          `There is no sandbox for it here: ${missing.reason}.`,
          missing.remedy,
        );
      }
      await saveLevel(config, id, wish === "default" ? undefined : wish, signal);
      const untried =
        wish === "sandbox" && !isKnown ? " Nobody has tried this agent in it: look whether it works." : "";
      const back = wish === "default" ? "" : " `/symposium:guard default` takes it back.";
      return (
        `Done: \`${id}\` ${held[wish]} from its next start on, in every editor.${untried} What runs now stays as it is: ` +
        `restart the agent in your editor, or the editor.${back}`
      );
    },
  };
}

function describe(
  { level, place, summary, parts, isBuiltIn, missing }: Status,
  started: ProtectionLevel | undefined,
): string {
  const list = parts.map(({ title, text }) => `- ${title}: ${text}`);
  const says = place === undefined ? "" : `\`${place}\` says so.`;
  const isLater = !isBuiltIn && started !== undefined && started !== level;
  const later = isLater
    ? `That holds from its next start on. It was started as \`${started}\`, and runs so until you restart it, or the editor.`
    : "";
  return [summary, later, list.join("\n"), isBuiltIn ? "" : [says, howToSwitch(level, missing)].join(" ").trim()]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function howToSwitch(level: ProtectionLevel, missing: Status["missing"]): string {
  if (level === "sandbox")
    return "Type `/symposium:guard rules` to have it run without the sandbox from its next start on.";
  if (missing) return `It cannot run in a sandbox here: ${missing.reason}. ${missing.remedy}`.trim();
  return (
    "Type `/symposium:guard sandbox` to have it run in a sandbox from its next start on: its programs then reach this folder, its own " +
    "sessions and sign-in, and the hosts that you allow."
  );
}
