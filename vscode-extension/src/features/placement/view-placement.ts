/** What the editor is asked for here; its commands, as `vscode.commands` has them. */
interface EditorCommands {
  getCommands(): PromiseLike<readonly string[]>;
  executeCommand(command: string, ...args: readonly unknown[]): PromiseLike<unknown>;
}

/** Type of the editors that show a tab of the chat. */
export const chatEditorType = "symposium.chatEditor";

/** Ids of the chat view, in the secondary side bar and in the activity bar. */
export const chatViewIds = ["symposium.chatView", "symposium.chatViewInActivityBar"] as const;

/** The command that opens our container of the secondary side bar; there where the editor has taken that container. */
const containerCommand = "workbench.view.extension.symposium";
/** In the conditions of package.json. */
const activityBarKey = "symposium.isInActivityBar";

/**
 * Where our view is: in the secondary side bar, beside the explorer, or in the activity bar where an editor made of
 * VS Code has no place for extensions there. (VS Code before 1.106 loses other extensions' containers by ours: `engines`
 * leaves it out.) The view has a double for that.
 */
export class ViewPlacement {
  readonly #isInActivityBar: Promise<boolean>;

  constructor(private readonly commands: EditorCommands) {
    this.#isInActivityBar = this.#find();
  }

  /** Brings the view into sight. */
  async focus(): Promise<void> {
    const [inSecondarySideBar, inActivityBar] = chatViewIds;
    const id = (await this.#isInActivityBar) ? inActivityBar : inSecondarySideBar;
    await this.commands.executeCommand(`${id}.focus`);
  }

  async #find(): Promise<boolean> {
    const known = await this.commands.getCommands();
    const isInActivityBar = !known.includes(containerCommand);
    await this.commands.executeCommand("setContext", activityBarKey, isInActivityBar);
    return isInActivityBar;
  }
}
