import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { ruleScopeNames } from "../../../protocol/index.js";
import type { PermissionHistory, PermissionRecord } from "./permission-history.js";
import type { RememberedAnswers, SessionAnswer } from "./remembered-answers.js";
import type { VsCodeBypass } from "./vscode-bypass.js";

interface PermissionItem extends vscode.QuickPickItem {
  run?(): Promise<void>;
}

export class PermissionsCommand {
  constructor(
    private readonly remembered: RememberedAnswers,
    private readonly history: PermissionHistory,
    private readonly bypass: VsCodeBypass,
  ) {}

  async run(): Promise<void> {
    const picked = await vscode.window.showQuickPick(this.#entries(), {
      title: l10n.t("Symposium: Permissions"),
      placeHolder: l10n.t("Choose a rule to remove it, or a past answer to copy it"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    await picked?.run?.();
  }

  #entries(): PermissionItem[] {
    const rules = this.remembered.inSessions.map((rule) => this.#ruleEntry(rule));
    const bypasses = this.bypass.agentIds.map((agentId) => this.#bypassEntry(agentId));
    const records = [...this.history.records].reverse().map((record) => recordEntry(record));
    return [
      separator(l10n.t("Rules")),
      lastingEntry,
      ...bypasses,
      ...rules,
      separator(l10n.t("History")),
      ...records,
      ...(records.length === 0 ? [] : [this.#clearEntry()]),
    ];
  }

  #ruleEntry(rule: SessionAnswer): PermissionItem {
    const verb = rule.effect === "allow" ? l10n.t("Allow") : l10n.t("Reject");
    return {
      label: `$(${rule.effect === "allow" ? "check" : "circle-slash"}) ${verb}: ${rule.label}`,
      description: `${rule.agentName} · ${ruleScopeNames.session}`,
      detail: l10n.t("Since {0}. Select to be asked again.", new Date(rule.createdAt).toLocaleString()),
      run: () => {
        this.remembered.remove(rule.id);
        return this.run();
      },
    };
  }

  #bypassEntry(agentId: string): PermissionItem {
    return {
      label: l10n.t("$(warning) Allow: everything"),
      description: `${agentId} · symposium.bypassPermissions`,
      run: async () => {
        const remove = l10n.t("Ask Again");
        const message = l10n.t('The agent "{0}" may do everything without asking.', agentId);
        if ((await vscode.window.showWarningMessage(message, { modal: true }, remove)) === remove) {
          await this.bypass.remove(agentId);
        }
      },
    };
  }

  #clearEntry(): PermissionItem {
    return { label: l10n.t("$(clear-all) Clear the history"), run: () => this.history.clear() };
  }
}

const lastingEntry: PermissionItem = {
  label: l10n.t("$(law) Permanent answers are rules in your guard.jsonc"),
  description: l10n.t("listed on the Guard page"),
  detail: l10n.t("They apply in every editor. You can remove them there."),
  run: async () => {
    await vscode.commands.executeCommand("symposium.showGuard");
  },
};

function recordEntry(record: PermissionRecord): PermissionItem {
  const icon = { allow: "check", reject: "circle-slash", cancel: "close" }[record.effect];
  const by =
    record.by === "user" ? l10n.t("you") : record.by === "bypass" ? l10n.t("bypass") : l10n.t("rule: {0}", record.by);
  return {
    label: `$(${icon}) ${record.title}`,
    description: `${record.answer} · ${by}`,
    detail: `${new Date(record.at).toLocaleString()} · ${record.agentName}${record.detail === "" ? "" : ` · ${record.detail}`}`,
    run: async () => vscode.env.clipboard.writeText(JSON.stringify(record, null, 2)),
  };
}

function separator(label: string): PermissionItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
