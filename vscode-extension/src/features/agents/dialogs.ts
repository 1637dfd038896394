import * as l10n from "@vscode/l10n";
import { ProgressLocation, type QuickPickItem, QuickPickItemKind, window } from "vscode";
import { type AgentOffer, agentPlace, agentState, demoName, placeNames, versionOrSize } from "./agent-choices.js";
import type { InstallDialogs } from "./installer.js";
import {
  type NewComponent,
  type NewSource,
  readNewComponent,
  type SourceQuestion,
  sourceQuestions,
} from "./new-component.js";

export interface KnownComponent {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly section: string;
  readonly isAdded: boolean;
}

export type Added =
  | { readonly kind: "known"; readonly id: string }
  | { readonly kind: "described"; readonly component: NewComponent }
  | { readonly kind: "url"; readonly url: string };

interface SourceItem extends QuickPickItem {
  readonly known?: KnownComponent;
  readonly question?: SourceQuestion;
}

type Noun = "agent" | "extension";

const customHeadings: Readonly<Record<Noun, string>> = {
  agent: l10n.t("Custom agent"),
  extension: l10n.t("Custom extension"),
};
const addTitles: Readonly<Record<Noun, string>> = {
  agent: l10n.t("Add an agent"),
  extension: l10n.t("Add an extension"),
};

export async function askForComponent(noun: Noun, known: readonly KnownComponent[]): Promise<Added | undefined> {
  const items: SourceItem[] = [];
  for (const section of new Set(known.map((component) => component.section))) {
    items.push({ label: section, kind: QuickPickItemKind.Separator });
    for (const component of known) if (component.section === section) items.push(knownItem(component));
  }
  items.push({ label: customHeadings[noun], kind: QuickPickItemKind.Separator });
  for (const question of sourceQuestions) {
    items.push({ label: question.label, description: question.description, question });
  }
  const chosen = await window.showQuickPick(items, {
    title: addTitles[noun],
    placeHolder: l10n.t("Where does it come from?"),
    matchOnDescription: true,
  });
  if (chosen?.question) return askForSource(noun, chosen.question);
  if (!chosen?.known || chosen.known.isAdded) return undefined;
  return { kind: "known", id: chosen.known.id };
}

function knownItem(known: KnownComponent): SourceItem {
  const { name, description, isAdded } = known;
  return {
    label: isAdded ? `$(check) ${name}` : name,
    description: isAdded ? l10n.t("added already") : "",
    ...(description === undefined ? {} : { detail: description }),
    known,
  };
}

async function askForSource(
  noun: Noun,
  { source, label, prompt, placeHolder }: SourceQuestion,
): Promise<Added | undefined> {
  const typed = await window.showInputBox({
    title: `${addTitles[noun]}: ${label}`,
    prompt,
    placeHolder,
    ignoreFocusOut: true,
    validateInput: (value) => problemOf(source, value),
  });
  if (typed === undefined) return undefined;
  if (source === "url") return { kind: "url", url: typed.trim() };
  const component = readNewComponent(source, typed);
  return "problem" in component ? undefined : { kind: "described", component };
}

function problemOf(source: NewSource, value: string): string | undefined {
  if (value.trim() === "") return undefined;
  if (source === "url") return isAddress(value.trim()) ? undefined : l10n.t("Enter an https address.");
  const read = readNewComponent(source, value);
  return "problem" in read ? read.problem : undefined;
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === "https:" || (url?.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname));
}

interface AgentItem extends QuickPickItem {
  readonly offer?: AgentOffer;
  readonly isAdd?: boolean;
}

/** Asks the user to choose an agent. Returns `add` if the user wants to add an agent that isn't listed; undefined if dismissed. */
export async function selectAgent(
  offers: readonly AgentOffer[],
  currentId: string | undefined,
): Promise<AgentOffer | "add" | undefined> {
  const items = agentItems(offers, currentId);
  items.push({ label: "", kind: QuickPickItemKind.Separator });
  items.push({ label: l10n.t("$(add) Add a custom agent…"), alwaysShow: true, isAdd: true });
  const chosen = await window.showQuickPick(items, {
    title: l10n.t("Agent for new tabs"),
    placeHolder: l10n.t("Choose an agent to chat with"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.isAdd === true ? "add" : chosen?.offer;
}

export async function selectOtherAgent(offers: readonly AgentOffer[], title: string): Promise<AgentOffer | undefined> {
  const chosen = await window.showQuickPick(agentItems(offers, undefined), {
    title: l10n.t('Continue "{0}" with…', title),
    placeHolder: l10n.t("Choose the agent to continue with. It opens in a new tab"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.offer;
}

function agentItems(offers: readonly AgentOffer[], currentId: string | undefined): AgentItem[] {
  const items: AgentItem[] = [];
  for (const place of new Set(offers.map(agentPlace))) {
    items.push({ label: placeNames[place], kind: QuickPickItemKind.Separator });
    const section = offers.filter((offer) => agentPlace(offer) === place);
    for (const offer of section) items.push(itemOf(offer, offer.id === currentId));
  }
  return items;
}

function itemOf(offer: AgentOffer, isCurrent: boolean): AgentItem {
  const isDemo = agentPlace(offer) === "demo";
  return {
    label: `${isCurrent ? "$(check) " : ""}${isDemo ? demoName : offer.name}`,
    description: [versionOrSize(offer), isCurrent ? l10n.t("current") : ""].filter((part) => part !== "").join(" · "),
    detail: agentState(offer),
    offer,
  };
}

export const vscodeInstallDialogs: InstallDialogs = {
  async confirmInstall(name, what, warning) {
    const detail =
      l10n.t("Symposium will download {0}, store it in its own folder and run it with your permissions.", what) +
      (warning === undefined ? "" : `\n\n${warning}`);
    return (
      (await window.showInformationMessage(
        l10n.t("Install {0}?", name),
        { modal: true, detail },
        l10n.t("Install"),
      )) === l10n.t("Install")
    );
  },
  async confirmRemove(name) {
    const detail = l10n.t(
      "This deletes all installed versions of the agent, and its entry in your settings. Your conversations are kept.",
    );
    return (
      (await window.showWarningMessage(l10n.t("Remove {0}?", name), { modal: true, detail }, l10n.t("Remove"))) ===
      l10n.t("Remove")
    );
  },
  async withProgress(title, abort, run) {
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    return window.withProgress(options, async (progress, token) => {
      token.onCancellationRequested(() => abort.abort(new Error(l10n.t("Cancelled"))));
      let shown = 0;
      return run(({ label, percent }) => {
        const increment = percent === undefined || percent < shown ? 0 : percent - shown;
        shown += increment;
        progress.report({ message: label === title ? "" : label, increment });
      });
    });
  },
  failed(message) {
    void window.showErrorMessage(message);
  },
};
