import { dirname } from "node:path";
import * as vscode from "vscode";

/**
 * Reports changes on disk for all files in the workspace and for watched files outside. Events can get lost, so they are used only to
 * update the display.
 */
export class DiskWatcher implements vscode.Disposable {
  readonly #inWorkspace: vscode.FileSystemWatcher;
  readonly #outside = new Map<string, vscode.FileSystemWatcher>();

  constructor(private readonly changed: (path: string) => void) {
    this.#inWorkspace = this.#listening(vscode.workspace.createFileSystemWatcher("**/*"));
  }

  watch(paths: readonly string[]): void {
    const isOutside = (path: string): boolean => !vscode.workspace.getWorkspaceFolder(vscode.Uri.file(path));
    const folders = new Set(paths.filter(isOutside).map((path) => dirname(path)));
    for (const [folder, watcher] of this.#outside) {
      if (folders.has(folder)) continue;
      watcher.dispose();
      this.#outside.delete(folder);
    }
    for (const folder of folders) {
      if (this.#outside.has(folder)) continue;
      const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), "*");
      this.#outside.set(folder, this.#listening(vscode.workspace.createFileSystemWatcher(pattern)));
    }
  }

  dispose(): void {
    this.#inWorkspace.dispose();
    for (const watcher of this.#outside.values()) watcher.dispose();
  }

  #listening(watcher: vscode.FileSystemWatcher): vscode.FileSystemWatcher {
    const listen = ({ scheme, fsPath }: vscode.Uri): void => {
      if (scheme === "file") this.changed(fsPath);
    };
    watcher.onDidChange(listen);
    watcher.onDidCreate(listen);
    watcher.onDidDelete(listen);
    return watcher;
  }
}
