import { join } from "node:path";
import * as vscode from "vscode";
import type { WorkspaceList } from "../extensions/workspace-extensions.js";
import { type ParsedSettings, parseSettings, type Settings, type SettingKey } from "./settings-table.js";
import type { SettingProblem } from "./setting.js";

/** The extension's settings as they are now: read again, whole, whenever one changes. */
export class SettingsSource implements vscode.Disposable {
  readonly #changed = new vscode.EventEmitter<Settings>();
  readonly #subscription: vscode.Disposable;
  #parsed: ParsedSettings;
  /** Fires after every change, also one that leaves the value as it was. */
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

  /** The user's own `symposium.agents` as it stands in the settings. */
  get rawAgents(): unknown {
    return vscode.workspace.getConfiguration("symposium").inspect("agents")?.globalValue;
  }

  /** Where `symposium.extensions` is from, if from the workspace's settings and not from the user's. */
  get workspaceList(): WorkspaceList | undefined {
    const found = vscode.workspace.getConfiguration("symposium").inspect("extensions");
    if ((found?.workspaceFolderValue ?? found?.workspaceValue) === undefined) return undefined;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
    const file = vscode.workspace.workspaceFile?.fsPath ?? join(folder, ".vscode", "settings.json");
    return { file, own: found?.globalValue };
  }

  /** Writes the user's own value of one setting; undefined goes back to the default and removes the key. */
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
