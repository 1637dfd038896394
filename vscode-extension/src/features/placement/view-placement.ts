interface EditorCommands {
  getCommands(): PromiseLike<readonly string[]>;
  executeCommand(command: string, ...args: readonly unknown[]): PromiseLike<unknown>;
}

export const chatEditorType = "symposium.chatEditor";

export const chatViewIds = ["symposium.chatView", "symposium.chatViewInActivityBar"] as const;

/** Command that opens Symposium's container in the secondary side bar. Exists only if the editor supports a container there. */
const containerCommand = "workbench.view.extension.symposium";
const activityBarKey = "symposium.isInActivityBar";

/**
 * Position of the chat view: the secondary side bar, or the activity bar in VS Code forks without extension containers there. package.json
 * declares the view in both places. (`engines` excludes VS Code before 1.106, which loses other extensions' containers.)
 */
export class ViewPlacement {
  readonly #isInActivityBar: Promise<boolean>;

  constructor(private readonly commands: EditorCommands) {
    this.#isInActivityBar = this.#find();
  }

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
