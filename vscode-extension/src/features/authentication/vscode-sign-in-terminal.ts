import * as vscode from "vscode";
import type { SignInTerminal } from "./authentication.js";

/** A terminal of VS Code that runs the command itself, without a shell in between, and goes when it is done. */
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
