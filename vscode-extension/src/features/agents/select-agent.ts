import { type QuickPickItem, QuickPickItemKind, window } from "vscode";
import type { AgentOffer } from "./agent-choices.js";
import { agentPlace, agentState, demoName, placeNames, versionOrSize } from "./agent-place.js";

interface AgentItem extends QuickPickItem {
  readonly offer?: AgentOffer;
  readonly isAdd?: boolean;
}

/** Lets the user choose an agent; `add` when they want another one, undefined when they dismiss the question. */
export async function selectAgent(
  offers: readonly AgentOffer[],
  currentId: string | undefined,
): Promise<AgentOffer | "add" | undefined> {
  const items: AgentItem[] = [];
  for (const place of new Set(offers.map(agentPlace))) {
    items.push({ label: placeNames[place], kind: QuickPickItemKind.Separator });
    const section = offers.filter((offer) => agentPlace(offer) === place);
    for (const offer of section) items.push(itemOf(offer, offer.id === currentId));
  }
  items.push({ label: "", kind: QuickPickItemKind.Separator });
  items.push({ label: "$(add) Add an agent of your own…", alwaysShow: true, isAdd: true });
  const chosen = await window.showQuickPick(items, {
    title: "Agent for new tabs",
    placeHolder: "Choose the agent that you want to talk to",
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.isAdd === true ? "add" : chosen?.offer;
}

function itemOf(offer: AgentOffer, isCurrent: boolean): AgentItem {
  const isDemo = agentPlace(offer) === "demo";
  return {
    label: `${isCurrent ? "$(check) " : ""}${isDemo ? demoName : offer.name}`,
    description: [versionOrSize(offer), isCurrent ? "current" : ""].filter((part) => part !== "").join(" · "),
    detail: agentState(offer),
    offer,
  };
}
