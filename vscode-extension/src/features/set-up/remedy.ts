import * as l10n from "@vscode/l10n";
export type Remedy =
  | { readonly kind: "allow-project" }
  | { readonly kind: "ask-registry" }
  | { readonly kind: "choose-agent" }
  | { readonly kind: "install-agent"; readonly agentId: string }
  | { readonly kind: "manage-trust" }
  | { readonly kind: "open-folder" }
  | { readonly kind: "open-setting"; readonly setting: string }
  | { readonly kind: "open-website"; readonly address: string }
  | { readonly kind: "show-log" }
  /** Opens a tab with the agent. The tab offers the agent's sign-in methods. */
  | { readonly kind: "sign-in"; readonly agentId: string }
  | { readonly kind: "update" };

export function remedyLabel(remedy: Remedy): string {
  switch (remedy.kind) {
    case "allow-project":
      return l10n.t("Allow…");
    case "ask-registry":
      return l10n.t("Try Again");
    case "choose-agent":
      return l10n.t("Choose an Agent");
    case "install-agent":
      return l10n.t("Install");
    case "manage-trust":
      return l10n.t("Manage Workspace Trust");
    case "open-folder":
      return l10n.t("Open Folder");
    case "open-setting":
      return l10n.t("Open {0}", remedy.setting);
    case "open-website":
      return l10n.t("Open {0}", new URL(remedy.address).host);
    case "show-log":
      return l10n.t("Show Log");
    case "sign-in":
      return l10n.t("Sign In");
    case "update":
      return l10n.t("Update");
  }
}

/** Returns the same id for equal remedies, so that a click on an outdated page still applies the remedy it shows. */
export function remedyId(remedy: Remedy): string {
  return Object.values(remedy).join(" ");
}
