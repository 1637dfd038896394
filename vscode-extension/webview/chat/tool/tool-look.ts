import * as l10n from "@vscode/l10n";
import type { Exit, ItemOf } from "../../../protocol/index.js";

const icons: Readonly<Record<string, string>> = {
  read: "eye",
  edit: "edit",
  delete: "trash",
  move: "move",
  search: "search",
  execute: "terminal",
  think: "lightbulb",
  fetch: "globe",
  switch_mode: "arrow-swap",
  other: "tools",
};
const kindNames: Readonly<Record<string, string>> = {
  read: l10n.t("Read"),
  edit: l10n.t("Edit"),
  delete: l10n.t("Delete"),
  move: l10n.t("Move"),
  search: l10n.t("Search"),
  execute: l10n.t("Run"),
  think: l10n.t("Think"),
  fetch: l10n.t("Fetch"),
  switch_mode: l10n.t("Switch mode"),
};
const states: Readonly<Record<ItemOf<"tool">["status"], { icon: string; label: string }>> = {
  pending: { icon: "circle-large-outline", label: l10n.t("waiting") },
  in_progress: { icon: "loading", label: l10n.t("running") },
  completed: { icon: "check", label: l10n.t("done") },
  failed: { icon: "error", label: l10n.t("failed") },
  cancelled: { icon: "circle-slash", label: l10n.t("cancelled") },
};

export function toolIcon(kind: string): string {
  return Object.hasOwn(icons, kind) ? (icons[kind] ?? "tools") : "tools";
}

export function toolKindName(kind: string): string {
  return Object.hasOwn(kindNames, kind) ? (kindNames[kind] ?? l10n.t("Tool")) : l10n.t("Tool");
}

/** Returns icon and label for a tool call's state. A command with a nonzero exit shows as failed even if the agent reports success. */
export function toolState(status: ItemOf<"tool">["status"], exit?: Exit): { icon: string; label: string } {
  if (exit === undefined || !hasFailed(exit) || (status !== "completed" && status !== "failed")) return states[status];
  return { icon: states.failed.icon, label: exitText(exit) };
}

export function isRunning({ status }: Pick<ItemOf<"tool">, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** Returns whether a tool call shows its body by default: if it changes files, runs a command or has failed. */
export function isOpenByDefault(item: ItemOf<"tool">): boolean {
  return item.content.some(({ type }) => type === "diff" || type === "terminal") || item.status === "failed";
}

/** Returns whether a command ended with a nonzero code or a signal. */
export function hasFailed(exit: Exit | undefined): boolean {
  return exit !== undefined && (exit.signal !== null || (exit.code ?? 0) !== 0);
}

export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return l10n.t("ended by {0}", signal);
  return code === null ? "" : l10n.t("exit code {0}", code);
}
