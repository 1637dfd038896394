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
      return "Allow…";
    case "ask-registry":
      return "Try Again";
    case "choose-agent":
      return "Choose an Agent";
    case "install-agent":
      return "Install";
    case "manage-trust":
      return "Manage Workspace Trust";
    case "open-folder":
      return "Open Folder";
    case "open-setting":
      return `Open ${remedy.setting}`;
    case "open-website":
      return `Open ${new URL(remedy.address).host}`;
    case "show-log":
      return "Show Log";
    case "sign-in":
      return "Sign In";
    case "update":
      return "Update";
  }
}

/** Returns the same id for equal remedies, so that a click on an outdated page still applies the remedy it shows. */
export function remedyId(remedy: Remedy): string {
  return Object.values(remedy).join(" ");
}
