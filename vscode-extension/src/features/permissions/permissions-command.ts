import { checkPath, commandGrantText } from "@symposium-dev/core/node";
import * as vscode from "vscode";
import { ruleScopeNames } from "../../../protocol/index.js";
import { describeRule, isOutdated, type PermissionRule } from "./permission-rule.js";
import type { PermissionRecord, PermissionStore } from "./permission-store.js";
import type { VsCodeBypass } from "./vscode-bypass.js";

interface Entry extends vscode.QuickPickItem {
  run?(): Promise<void>;
}

/** "Symposium: Permissions": lists the rules, the bypasses and what was answered when and why; rules can be changed. */
export class PermissionsCommand {
  constructor(
    private readonly store: PermissionStore,
    private readonly bypass: VsCodeBypass,
  ) {}

  async run(): Promise<void> {
    const picked = await vscode.window.showQuickPick(this.#entries(), {
      title: "Symposium: Permissions",
      placeHolder: "Choose a rule to change it, or a past answer to copy it",
      matchOnDescription: true,
      matchOnDetail: true,
    });
    await picked?.run?.();
  }

  #entries(): Entry[] {
    const rules = this.store.rules.map((rule) => this.#ruleEntry(rule));
    const bypasses = this.bypass.agentIds.map((agentId) => this.#bypassEntry(agentId));
    const records = [...this.store.history].reverse().map((record) => recordEntry(record));
    const none: Entry = { label: "No rules yet", description: "Every request is shown in the chat." };
    return [
      separator("Rules"),
      ...(rules.length + bypasses.length === 0 ? [none] : [...bypasses, ...rules]),
      separator("History"),
      ...records,
      ...(records.length === 0 ? [] : [this.#clearEntry()]),
    ];
  }

  #ruleEntry(rule: PermissionRule): Entry {
    const verb = rule.effect === "allow" ? "Allow" : "Reject";
    return {
      label: `$(${rule.effect === "allow" ? "check" : "circle-slash"}) ${verb}: ${describeRule(rule.subject, rule.toolKind)}`,
      description: `${rule.agentName} · ${ruleScopeNames[rule.scope]}`,
      detail: isOutdated(rule)
        ? "Holds no longer: it would allow more than it says. You are asked again."
        : `Since ${new Date(rule.createdAt).toLocaleString()}`,
      run: () => this.#editRule(rule),
    };
  }

  #bypassEntry(agentId: string): Entry {
    return {
      label: `$(warning) Allow: everything`,
      description: `${agentId} · symposium.bypassPermissions`,
      run: async () => {
        const remove = "Ask Again";
        const message = `The agent "${agentId}" need not ask for anything.`;
        if ((await vscode.window.showWarningMessage(message, { modal: true }, remove)) === remove) {
          await this.bypass.remove(agentId);
        }
      },
    };
  }

  #clearEntry(): Entry {
    return { label: "$(clear-all) Clear the history", run: () => this.store.clearHistory() };
  }

  async #editRule(rule: PermissionRule): Promise<void> {
    const scopes = (["session", "workspace", "always"] as const).filter(
      (scope) => scope !== rule.scope && (scope !== "session" || rule.sessionId !== undefined),
    );
    const changes: Entry[] = [
      { label: "$(trash) Delete this rule", run: () => this.store.remove(rule.id) },
      ...scopes.map((scope) => ({
        label: `$(arrow-swap) Let it hold ${ruleScopeNames[scope]}`,
        run: () => this.store.replace({ ...rule, scope }),
      })),
      {
        label: rule.effect === "allow" ? "$(circle-slash) Reject instead" : "$(check) Allow instead",
        run: () => this.store.replace({ ...rule, effect: rule.effect === "allow" ? "reject" : "allow" }),
      },
      ...narrowing(rule, this.store),
    ];
    const title = describeRule(rule.subject, rule.toolKind);
    await (await vscode.window.showQuickPick(changes, { title, placeHolder: rule.agentName }))?.run?.();
    await this.run();
  }
}

function narrowing(rule: PermissionRule, store: PermissionStore): Entry[] {
  const { subject } = rule;
  if (subject.type === "command-prefix") {
    return [
      {
        label: "$(edit) Change the command it begins with…",
        run: async () => {
          const value = await vscode.window.showInputBox({
            title: "Commands that begin with these words",
            value: subject.words.join(" "),
            validateInput: (text) => refusalOf(rule, text.trim().split(/\s+/)),
          });
          const words = value?.trim().split(/\s+/);
          if (words) await store.replace({ ...rule, subject: { type: "command-prefix", words } });
        },
      },
    ];
  }
  if (subject.type !== "workspace" && subject.type !== "folder") return [];
  return [
    {
      label: "$(folder) Limit it to a folder…",
      run: async () => {
        const [folder] = (await vscode.window.showOpenDialog({ canSelectFolders: true, canSelectFiles: false })) ?? [];
        if (!folder) return;
        const { real } = await checkPath(folder.fsPath, folder.fsPath, []);
        await store.replace({ ...rule, subject: { type: "folder", path: real } });
      },
    },
  ];
}

function refusalOf({ effect }: PermissionRule, words: readonly string[]): string | undefined {
  if (words.join("") === "") return "At least the program's name is needed.";
  if (effect === "reject" || commandGrantText(words) !== undefined) return undefined;
  return `"${words.join(" ")}" can run anything, depending on what follows: it can only be allowed word for word.`;
}

function recordEntry(record: PermissionRecord): Entry {
  const icon = { allow: "check", reject: "circle-slash", cancel: "close" }[record.effect];
  const by = record.by === "user" ? "you" : record.by === "bypass" ? "bypass" : `rule: ${record.by}`;
  return {
    label: `$(${icon}) ${record.title}`,
    description: `${record.answer} · ${by}`,
    detail: `${new Date(record.at).toLocaleString()} · ${record.agentName}${record.detail === "" ? "" : ` · ${record.detail}`}`,
    run: async () => vscode.env.clipboard.writeText(JSON.stringify(record, null, 2)),
  };
}

function separator(label: string): Entry {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
