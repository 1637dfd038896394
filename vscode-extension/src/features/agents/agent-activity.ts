import * as l10n from "@vscode/l10n";
import type { TabState } from "../../../protocol/index.js";

export interface ActiveTab {
  readonly tabId: string;
  readonly state: Pick<TabState, "agentName" | "phase" | "waiting">;
}

export interface AgentActivity {
  readonly icon: string;
  /** Agent name or count, such as `OpenCode` or `2 agents`; `Symposium` without an agent. */
  readonly who: string;
  readonly does: string;
  /** Tab that a click shows; undefined for the selected tab. */
  readonly tabId?: string;
}

/** Status bar text without an agent. */
export const product = "Symposium";

export interface AroundTabs {
  /** Name of the agent that the user chose for new tabs; undefined before a choice. */
  readonly chosen: string | undefined;
  readonly isTrusted: boolean;
}

/**
 * Returns the most important activity: a request that waits for the user, then work, then the state of the selected tab or of the agent for
 * a first tab.
 */
export function activityOf(
  { tabs, selectedTab: selected }: { readonly tabs: readonly ActiveTab[]; readonly selectedTab: ActiveTab | undefined },
  { chosen, isTrusted }: AroundTabs,
): AgentActivity {
  const waiting = tabs.filter(({ state }) => state.waiting > 0);
  const working = tabs.filter(({ state: { phase } }) => phase === "running" || phase === "stopping");
  if (waiting.length > 0)
    return some(waiting, selected, "$(bell-dot)", [l10n.t("waits for your answer"), l10n.t("wait for your answers")]);
  if (working.length > 0)
    return some(working, selected, "$(loading~spin)", [l10n.t("is working"), l10n.t("are working")]);
  const who = selected?.state.agentName ?? chosen;
  if (!isTrusted) {
    const does =
      who === undefined
        ? l10n.t("doesn't start agents in Restricted Mode")
        : l10n.t("isn't started in Restricted Mode");
    return { icon: "$(workspace-untrusted)", who: who ?? product, does };
  }
  if (who === undefined) return { icon: "$(comment-discussion)", who: product, does: l10n.t("has no agent selected") };
  switch (selected?.state.phase) {
    case "starting":
    case "restoring":
      return { icon: "$(loading~spin)", who, does: l10n.t("is starting") };
    case "failed":
      return { icon: "$(warning)", who, does: l10n.t("is not running") };
    default:
      return { icon: "$(comment-discussion)", who, does: l10n.t("is ready") };
  }
}

function some(
  tabs: readonly ActiveTab[],
  selected: ActiveTab | undefined,
  icon: string,
  [one, several]: readonly [string, string],
): AgentActivity {
  const names = new Set(tabs.map(({ state }) => state.agentName));
  const [name = ""] = names;
  const said = names.size === 1 ? { who: name, does: one } : { who: l10n.t("{0} agents", names.size), does: several };
  const [first] = tabs;
  const isShown = tabs.some(({ tabId }) => tabId === selected?.tabId);
  return { icon, ...said, ...(isShown || first === undefined ? {} : { tabId: first.tabId }) };
}
