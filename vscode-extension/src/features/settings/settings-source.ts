import * as vscode from "vscode";
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
