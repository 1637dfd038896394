import * as vscode from "vscode";
import type { SignInTerminal } from "./authentication.js";

/** Runs the command directly in a VS Code terminal, without a shell, and closes the terminal on exit. */
export const vsCodeSignInTerminal: SignInTerminal = {
  run(name, command, signal) {
    const terminal = vscode.window.createTerminal({
      name,
      shellPath: command.command,
      shellArgs: [...command.args],
      env: { ...command.env },
      iconPath: new vscode.ThemeIcon("account"),
      isTransient: true,
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
    });
    terminal.show();
    return new Promise((resolve) => {
      const abort = (): void => terminal.dispose();
      const closing = vscode.window.onDidCloseTerminal((closed) => {
        if (closed !== terminal) return;
        closing.dispose();
        signal.removeEventListener("abort", abort);
        resolve(closed.exitStatus?.code);
      });
      signal.addEventListener("abort", abort, { once: true });
    });
  },
};
