import { invalidArguments, SymposiumError } from "../../base/symposium-error.js";
import type { AgentProtection, WantedProtection } from "../../conductor/choices/agent-protection.js";
import type { Choice } from "../../conductor/choices/chosen-agent-and-proxies.js";
import { saveLevel } from "./guard-edit.js";
import { SandboxOffers } from "./sandbox/sandbox-offers.js";
import { configFolder } from "../../base/node/own-program.js";
import type { Component } from "../../settings/component-spec.js";
import type { ProtectionLevel } from "../../base/safety/protection-level.js";
import { agentStatus } from "./guard-status.js";
import type { RunningProtection } from "./running-protection.js";

type Status = Awaited<ReturnType<typeof agentStatus>>;

const nextStart: Readonly<Record<WantedProtection, string>> = {
  sandbox: "will run in a sandbox",
  rules: "will follow your rules, without a sandbox",
  off: "will run without protection by Symposium",
  default: "will use the default protection",
};

/**
 * Shows and changes agents' protection levels in guard.jsonc, for `/symposium:guard`. `usual` is the setting `guard`; `running` returns the
 * level with which an agent of this process was started.
 */
export function agentProtection(
  componentOf: (choice: Choice) => Component,
  usual: ProtectionLevel,
  running?: Pick<RunningProtection, "startedAs">,
): AgentProtection {
  const config = configFolder();
  const status = async (choice: Choice, folder: string): Promise<Status> => {
    const found = await agentStatus(componentOf(choice), { folder, usual });
    // A user who enters this command doesn't need the notice about the sandbox anymore.
    if (found.isKnown) new SandboxOffers(config).claim(found.id);
    return found;
  };
  return {
    describe: async (choice, folder) => {
      const found = await status(choice, folder);
      return describe(found, running?.startedAs(found.id));
    },
    change: async (choice, folder, wish, signal) => {
      const { id, isBuiltIn, isKnown, missing, summary } = await status(choice, folder);
      if (isBuiltIn) throw invalidArguments(summary);
      if (wish === "sandbox" && missing) {
        throw new SymposiumError(
          "sandbox-unavailable",
          `This agent can't run in a sandbox here: ${missing.reason}.`,
          missing.remedy,
        );
      }
      await saveLevel(config, id, wish === "default" ? undefined : wish, signal);
      const untried = wish === "sandbox" && !isKnown ? " Symposium hasn't tested this agent in a sandbox." : "";
      const back = wish === "default" ? "" : " To undo this, type `/symposium:guard default`.";
      return (
        `Saved. From its next start, \`${id}\` ${nextStart[wish]} in every editor.${untried} ` +
        `To apply the change now, restart the agent or the editor.${back}`
      );
    },
  };
}

function describe(
  { level, place, summary, parts, isBuiltIn, missing }: Status,
  started: ProtectionLevel | undefined,
): string {
  const list = parts.map(({ title, text }) => `- ${title}: ${text}`);
  const says = place === undefined ? "" : `Set in \`${place}\`.`;
  const isLater = !isBuiltIn && started !== undefined && started !== level;
  const later = isLater
    ? `This applies from the agent's next start. It is running with \`${started}\` until you restart the agent or the editor.`
    : "";
  return [summary, later, list.join("\n"), isBuiltIn ? "" : [says, howToSwitch(level, missing)].join(" ").trim()]
    .filter((paragraph) => paragraph !== "")
    .join("\n\n");
}

function howToSwitch(level: ProtectionLevel, missing: Status["missing"]): string {
  if (level === "sandbox")
    return "To run the agent without the sandbox from its next start, type `/symposium:guard rules`.";
  if (missing) return `This agent can't run in a sandbox here: ${missing.reason}. ${missing.remedy}`.trim();
  return (
    "To run the agent in a sandbox from its next start, type `/symposium:guard sandbox`. The sandbox gives its programs access to this " +
    "folder, the agent's own sessions and sign-in, and the hosts that you allow."
  );
}
