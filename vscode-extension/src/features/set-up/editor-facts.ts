import * as l10n from "@vscode/l10n";
import { type AgentOffer, agentPlace } from "../agents/agent-choices.js";
import type { SettingProblem } from "../settings/setting.js";
import type { CheckedFact } from "./doctor-findings.js";

export interface EditorFacts {
  readonly isTrusted: boolean;
  readonly folder: string | undefined;
  readonly problems: readonly SettingProblem[];
}

export function editorFacts({ isTrusted, folder, problems }: EditorFacts): CheckedFact[] {
  const trust: CheckedFact = isTrusted
    ? { about: l10n.t("Workspace"), status: "ok", text: l10n.t("is trusted"), remedies: [] }
    : {
        about: l10n.t("Workspace"),
        status: "fail",
        text: l10n.t("is in Restricted Mode, so no agent starts and nothing more is checked"),
        remedies: [{ kind: "manage-trust" }],
      };
  const opened: CheckedFact =
    folder === undefined
      ? {
          about: l10n.t("Folder"),
          status: "warn",
          text: l10n.t("is not open, so an agent has no project to work on"),
          remedies: [{ kind: "open-folder" }],
        }
      : { about: l10n.t("Folder:"), status: "ok", text: folder, remedies: [] };
  const settings = problems.map(({ setting, message, hint }): CheckedFact => ({
    about: l10n.t("Setting:"),
    status: "fail",
    text: message,
    ...(hint === undefined ? {} : { remedy: hint }),
    remedies: [{ kind: "open-setting", setting }],
  }));
  const right: CheckedFact = { about: l10n.t("Settings"), status: "ok", text: l10n.t("have no faults"), remedies: [] };
  return [trust, opened, ...(settings.length === 0 ? [right] : settings)];
}

export function commandFact(
  answer: { readonly text: string } | { readonly problem: string },
  own: { readonly version: string; readonly path: string },
): CheckedFact {
  const about = "symposium-acp-agent";
  const setting = own.path === "" ? [] : [{ kind: "open-setting", setting: "symposium.acpAgentPath" } as const];
  if ("problem" in answer) {
    return { about, status: "fail", text: answer.problem, remedies: [...setting, { kind: "show-log" }] };
  }
  const version = /\d+\.\d+\.\d+\S*/.exec(answer.text)?.[0] ?? answer.text;
  const place = own.path === "" ? version : l10n.t("{0} at {1}", version, own.path);
  if (version === own.version) return { about, status: "ok", text: place, remedies: [] };
  return {
    about,
    status: "warn",
    text: l10n.t("{0} doesn't match this extension's version, {1}", place, own.version),
    remedy: l10n.t("Clear the setting to use the command included in the extension, or install the matching version."),
    remedies: setting,
  };
}

/**
 * Returns a problem if there is no agent to check. `chosen` is undefined before the user's first choice, and an id if the agent is unknown.
 */
export function agentFact(chosen: AgentOffer | string | undefined): CheckedFact | undefined {
  if (chosen === undefined) {
    return {
      about: l10n.t("Agent"),
      status: "warn",
      text: l10n.t("isn't selected: new tabs open the demo, which has no model"),
      remedies: [{ kind: "choose-agent" }],
    };
  }
  if (typeof chosen === "string") {
    return {
      about: l10n.t("Agent"),
      status: "fail",
      text: l10n.t('"{0}" is neither in an agent list nor in your settings', chosen),
      remedies: [{ kind: "choose-agent" }, { kind: "open-setting", setting: "symposium.currentAgentId" }],
    };
  }
  const place = agentPlace(chosen);
  const { id, name, machine, toInstall } = chosen;
  if (place === "elsewhere") {
    const text = l10n.t("{0} isn't available: its program \"{1}\" isn't on PATH", name, machine?.missing ?? "");
    return {
      about: l10n.t("Agent"),
      status: "fail",
      text,
      remedy: l10n.t("Get it from its publisher, or choose another agent."),
      remedies: [{ kind: "choose-agent" }],
    };
  }
  const isInstalled = toInstall === undefined && place !== "install";
  if (isInstalled) return undefined;
  return {
    about: l10n.t("Agent"),
    status: "fail",
    text: l10n.t("{0} is not installed", name),
    remedies: [{ kind: "install-agent", agentId: id }, { kind: "choose-agent" }],
  };
}
