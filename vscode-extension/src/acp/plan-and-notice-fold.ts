import * as l10n from "@vscode/l10n";
import { asObject, objectsOf, stringOf } from "@symposium-dev/core";
import type { ItemOf } from "../../protocol/index.js";
import { boundedJson } from "./tool-content.js";
import { type FoldContext, itemOf, type SessionUpdate } from "./fold-target.js";

type NoticeItem = ItemOf<"notice">;

export class PlanAndNoticeFold {
  #planId: string | undefined;
  readonly #plans = new Set<string>();

  constructor(private readonly context: FoldContext) {}

  turnStarted(): void {
    this.#planId = undefined;
    this.#plans.clear();
  }

  /** Changes steps of a plan that are in progress to pending, since the agent has stopped working. */
  turnEnded(): void {
    for (const id of this.#plans) {
      const { entries = [] } = itemOf(this.context.transcript, "plan", id) ?? {};
      if (!entries.some(({ status }) => status === "in_progress")) continue;
      const stopped = entries.map((one) => (one.status === "in_progress" ? { ...one, status: "pending" } : one));
      this.context.publish({ op: "put", item: { kind: "plan", id, entries: stopped } });
    }
  }

  /** Handles a `plan` update: shows one card per turn and replaces the card's contents. */
  plan(update: SessionUpdate): boolean {
    this.#planId ??= this.context.newId();
    return this.#putPlan(this.#planId, update.entries);
  }

  /** Handles a `plan_update`, whose plan has its own id. */
  namedPlan(update: SessionUpdate): boolean {
    const { plan } = update;
    const planId = stringOf(plan?.planId);
    if (!plan || planId === undefined) return false;
    const id = `plan:${planId}`;
    if (plan.type === "items") return this.#putPlan(id, plan.entries);
    const text = stringOf(plan.content) ?? stringOf(plan.uri);
    if (text === undefined) return false;
    this.context.publish({ op: "put", item: { kind: "text", id, text } });
    return true;
  }

  removePlan(update: SessionUpdate): boolean {
    const planId = stringOf(update.planId);
    if (planId !== undefined) this.context.publish({ op: "remove", id: `plan:${planId}` });
    return planId !== undefined;
  }

  notice(update: SessionUpdate): boolean {
    const title = stringOf(update.title);
    if (title === undefined) return false;
    const severity = severityOf(update.severity);
    this.#put({ id: this.context.newId(), severity, title, ...text(stringOf(update.description)) });
    return true;
  }

  compaction(update: SessionUpdate): boolean {
    const compactionId = stringOf(update.compactionId);
    if (compactionId === undefined) return false;
    const id = `compaction:${compactionId}`;
    const old = itemOf(this.context.transcript, "notice", id);
    const status = stringOf(update.status);
    const summary = Array.isArray(update.summary)
      ? objectsOf(update.summary).flatMap((block) => stringOf(block["text"]) ?? [])
      : undefined;
    const details = summary ? summary.join("\n\n") : old?.details;
    const progress = status === "in_progress" ? { progress: {} } : {};
    const shown = { ...compactionLook(status), ...progress, ...text(stringOf(update.error) ?? old?.text) };
    this.#put({ id, ...shown, ...(details === undefined || details === "" ? {} : { details }) });
    return true;
  }

  compactionSummary(update: SessionUpdate): boolean {
    const compactionId = stringOf(update.compactionId);
    const added = stringOf(asObject(update.content)?.["text"]);
    if (compactionId === undefined || added === undefined) return false;
    const id = `compaction:${compactionId}`;
    const old = itemOf(this.context.transcript, "notice", id);
    this.#put({ ...(old ?? { id, ...compactionLook("in_progress") }), details: (old?.details ?? "") + added });
    return true;
  }

  unknown(label: string, value: unknown): void {
    const item = { kind: "unknown", id: this.context.newId(), label, json: boundedJson(value) } as const;
    this.context.publish({ op: "put", item });
  }

  #putPlan(id: string, list: unknown): boolean {
    if (!Array.isArray(list)) return false;
    const entries = objectsOf(list).flatMap((entry) => {
      const content = stringOf(entry["content"]);
      if (content === undefined) return [];
      const [priority, status] = [stringOf(entry["priority"]), stringOf(entry["status"])];
      return [{ content, priority: priority ?? "medium", status: status ?? "pending" }];
    });
    this.#plans.add(id);
    this.context.publish({ op: "put", item: { kind: "plan", id, entries } });
    return true;
  }

  #put(notice: Omit<NoticeItem, "kind" | "actions">): void {
    this.context.publish({ op: "put", item: { ...notice, kind: "notice", actions: [] } });
  }
}

function severityOf(value: unknown): NoticeItem["severity"] {
  return value === "warning" || value === "error" || value === "success" ? value : "info";
}

function text(value: string | undefined): { text?: string } {
  return value === undefined || value === "" ? {} : { text: value };
}

function compactionLook(status: string | undefined): Pick<NoticeItem, "severity" | "title"> {
  switch (status) {
    case "completed":
      return { severity: "success", title: l10n.t("The conversation was summarised to free context") };
    case "failed":
      return { severity: "error", title: l10n.t("Summarising the conversation failed") };
    case "cancelled":
      return { severity: "warning", title: l10n.t("Summarising the conversation was cancelled") };
    default:
      return { severity: "info", title: l10n.t("Summarising the conversation…") };
  }
}
