import { stripVTControlCharacters } from "node:util";
import * as vscode from "vscode";

/** Maximum characters of output stored per command. */
const maxChars = 20_000;
interface Recorded {
  readonly command: string;
  output: string;
}

/** Records each terminal's last command and the end of its output, if shell integration reports them. */
export class TerminalRecorder implements vscode.Disposable {
  readonly #last = new WeakMap<vscode.Terminal, Recorded>();
  readonly #subscription = vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
    void this.#record(terminal, execution);
  });

  get last(): { readonly label: string; readonly text: string } | undefined {
    const terminal = vscode.window.activeTerminal;
    const recorded = terminal && this.#last.get(terminal);
    if (!recorded) return undefined;
    const output = stripVTControlCharacters(recorded.output).replaceAll("\r\n", "\n");
    return { label: recorded.command, text: `$ ${recorded.command}\n${output}` };
  }

  dispose(): void {
    this.#subscription.dispose();
  }

  async #record(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const recorded: Recorded = { command: execution.commandLine.value, output: "" };
    this.#last.set(terminal, recorded);
    for await (const text of execution.read()) {
      recorded.output += text;
      if (recorded.output.length > maxChars * 2) recorded.output = recorded.output.slice(-maxChars);
    }
    recorded.output = recorded.output.slice(-maxChars);
  }
}
