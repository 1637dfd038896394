import { type QuickPickItem, QuickPickItemKind, window } from "vscode";
import type { AgentOffer } from "./agent-choices.js";

interface AgentItem extends QuickPickItem {
  readonly offer?: AgentOffer;
  readonly isAdd?: boolean;
}

const sectionNames: Readonly<Record<AgentOffer["source"], string>> = {
  custom: "Yours",
  "built-in": "Known agents",
  registry: "Agent registry",
};

/** Lets the user choose an agent; `add` when they want another one, undefined when they dismiss the question. */
export async function selectAgent(
  offers: readonly AgentOffer[],
  currentId: string | undefined,
  isInstalled: (id: string) => boolean,
): Promise<AgentOffer | "add" | undefined> {
  const items: AgentItem[] = [];
  for (const source of ["custom", "built-in", "registry"] as const) {
    const section = offers.filter((offer) => offer.source === source);
    if (section.length > 0) items.push({ label: sectionNames[source], kind: QuickPickItemKind.Separator });
    for (const offer of section) items.push(itemOf(offer, offer.id === currentId, isInstalled(offer.id)));
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

function itemOf(offer: AgentOffer, isCurrent: boolean, isInstalled: boolean): AgentItem {
  const marks = [isCurrent ? "current" : "", isInstalled ? "installed" : ""].filter((mark) => mark !== "");
  return {
    label: `${isCurrent ? "$(check) " : ""}${offer.name}`,
    description: [offer.version ?? "", ...marks].filter((part) => part !== "").join(" · "),
    ...(offer.description === undefined ? {} : { detail: offer.description }),
    offer,
  };
}
