import { ProgressLocation, window } from "vscode";
import type { InstallDialogs } from "./installer.js";

/** Consent in modal dialogs, progress as notifications with a cancel button. */
export const vscodeInstallDialogs: InstallDialogs = {
  async confirmInstall(name, what, warning) {
    const detail = `Symposium will fetch ${what}, keep it in its own folder and run it. It runs with your rights.${warning === undefined ? "" : `\n\n${warning}`}`;
    return (await window.showInformationMessage(`Install ${name}?`, { modal: true, detail }, "Install")) === "Install";
  },
  async confirmRemove(name) {
    const detail = "Every installed version and its entry in your settings are deleted. Conversations stay.";
    return (await window.showWarningMessage(`Remove ${name}?`, { modal: true, detail }, "Remove")) === "Remove";
  },
  async withProgress(title, abort, run) {
    const options = { location: ProgressLocation.Notification, title, cancellable: true };
    return window.withProgress(options, async (progress, token) => {
      token.onCancellationRequested(() => abort.abort(new Error("Cancelled")));
      let shown = 0;
      return run(({ label, percent }) => {
        const increment = percent === undefined || percent < shown ? 0 : percent - shown;
        shown += increment;
        progress.report({ message: label === title ? "" : label, increment });
      });
    });
  },
  failed(message) {
    void window.showErrorMessage(message);
  },
};
