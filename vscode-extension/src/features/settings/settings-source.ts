import * as l10n from "@vscode/l10n";
import { join } from "node:path";
import * as vscode from "vscode";
import { commands, window } from "vscode";
import type { WorkspaceList } from "./extensions-setting.js";
import type { SettingProblem } from "./setting.js";
import { type ParsedSettings, parseSettings, type SettingKey, type Settings } from "./settings-table.js";

/** Current settings of the extension. When one setting changes, all are read again. */
export class SettingsSource implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  #parsed: ParsedSettings;
  /** Fires after every change of the settings, even if the values stay the same. */
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#parsed = read();
    this.#subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration("symposium")) return;
      this.#parsed = read();
      this.#changed.fire(this.#parsed.settings);
    });
  }

  get settings(): Settings {
    return this.#parsed.settings;
  }

  get problems(): readonly SettingProblem[] {
    return this.#parsed.problems;
  }

  get rawAgents(): unknown {
    return vscode.workspace.getConfiguration("symposium").inspect("agents")?.globalValue;
  }

  /** Returns the extension list if `symposium.extensions` comes from workspace settings instead of the user's. */
  get workspaceList(): WorkspaceList | undefined {
    const found = vscode.workspace.getConfiguration("symposium").inspect("extensions");
    if ((found?.workspaceFolderValue ?? found?.workspaceValue) === undefined) return undefined;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const file = vscode.workspace.workspaceFile?.fsPath ?? join(folder, ".vscode", "settings.json");
    return { file, own: found?.globalValue };
  }

  /** Writes a user setting; undefined removes the key and so restores the default. */
  async write(key: SettingKey, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration("symposium").update(key, value, vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }
}

function read(): ParsedSettings {
  const configuration = vscode.workspace.getConfiguration("symposium");
  return parseSettings((key) => configuration.get(key));
}

export function reportSettingProblems(source: SettingsSource): { dispose(): void } {
  let reported = "";
  const report = (): void => {
    const [first, ...others] = source.problems;
    const all = JSON.stringify(source.problems);
    if (all === reported) return;
    reported = all;
    if (!first) return;
    const more = others.length === 0 ? "" : l10n.t(" (and {0} more)", others.length);
    const text = [first.message, first.hint].filter(Boolean).join(" ");
    void window.showWarningMessage(`${text}${more}`, l10n.t("Open Setting")).then((answer) => {
      if (answer !== undefined) void commands.executeCommand("workbench.action.openSettings", first.setting);
    });
  };
  report();
  return source.onDidChange(report);
}
