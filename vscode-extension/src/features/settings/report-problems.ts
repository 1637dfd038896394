import { commands, window } from "vscode";
import type { SettingsSource } from "./settings-source.js";

/** Tells the user once what is wrong in their settings, and again when something else is. */
export function reportSettingProblems(source: SettingsSource): { dispose(): void } {
  let told = "";
  const tell = (): void => {
    const [first, ...others] = source.problems;
    const all = JSON.stringify(source.problems);
    if (all === told) return;
    told = all;
    if (!first) return;
    const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
    const text = [first.message, first.hint].filter(Boolean).join(" ");
    void window.showWarningMessage(`${text}${more}`, "Open Setting").then((answer) => {
      if (answer !== undefined) void commands.executeCommand("workbench.action.openSettings", first.setting);
    });
  };
  tell();
  return source.onDidChange(tell);
}
