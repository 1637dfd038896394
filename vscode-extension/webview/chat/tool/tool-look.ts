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
  read: "Read",
  edit: "Edit",
  delete: "Delete",
  move: "Move",
  search: "Search",
  execute: "Run",
  think: "Think",
  fetch: "Fetch",
  switch_mode: "Switch mode",
};
const states: Readonly<Record<ItemOf<"tool">["status"], { icon: string; label: string }>> = {
  pending: { icon: "circle-large-outline", label: "waiting" },
  in_progress: { icon: "loading", label: "running" },
  completed: { icon: "check", label: "done" },
  failed: { icon: "error", label: "failed" },
  cancelled: { icon: "circle-slash", label: "cancelled" },
};

/** The codicon of a kind of tool. */
export function toolIcon(kind: string): string {
  return Object.hasOwn(icons, kind) ? (icons[kind] ?? "tools") : "tools";
}

/** A kind of tool as a word for screen readers. */
export function toolKindName(kind: string): string {
  return Object.hasOwn(kindNames, kind) ? (kindNames[kind] ?? "Tool") : "Tool";
}

/** How the state of a tool call looks and reads. A command that did not end with 0 has no tick, whatever the agent made of it. */
export function toolState(status: ItemOf<"tool">["status"], exit?: Exit): { icon: string; label: string } {
  if (exit === undefined || !hasFailed(exit) || (status !== "completed" && status !== "failed")) return states[status];
  return { icon: states.failed.icon, label: exitText(exit) };
}

/** True while a tool call has not ended. */
export function isRunning({ status }: Pick<ItemOf<"tool">, "status">): boolean {
  return status === "pending" || status === "in_progress";
}

/** Whether a tool call shows its body before the user says so: what changes files or runs, and what failed. */
export function isOpenByDefault(item: ItemOf<"tool">): boolean {
  return item.content.some(({ type }) => type === "diff" || type === "terminal") || item.status === "failed";
}

/** Whether a command ended otherwise than with 0. */
export function hasFailed(exit: Exit | undefined): boolean {
  return exit !== undefined && (exit.signal !== null || (exit.code ?? 0) !== 0);
}

/** How a command ended, in words; empty where nothing is known of it. */
export function exitText({ code, signal }: Exit): string {
  if (signal !== null) return `ended by ${signal}`;
  return code === null ? "" : `exit code ${code}`;
}
