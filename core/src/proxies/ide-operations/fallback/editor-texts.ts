import { pathOfFileUri } from "../../../ide-operations/file-uri.js";
import type { IdeOperations } from "../../../ide-operations/ide-operations.js";
import type { IdeOperationName } from "../../../ide-operations/wire.js";
import { normalUri } from "../workspace-paths.js";

/** What an editor has to answer, so that its unsaved texts are known. */
export const unsavedTextOperations: readonly IdeOperationName[] = ["openFiles", "readDocument"];

/** Shows language servers of our own the texts that the editor has not saved. */
export class EditorTexts {
  /** The texts that stand in front of the disk, by URI. */
  readonly #shown = new Map<string, string>();
  #revision = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** Has not begun, so that it sees what the editor has now. */
  #next: Promise<number> | undefined;

  constructor(
    private readonly editor: IdeOperations,
    private readonly servers: IdeOperations,
  ) {}

  /**
   * The servers have the texts that the editor has at this moment, or later ones. Resolves with a number that is another
   * whenever a text was another than before.
   */
  follow(): Promise<number> {
    if (this.#next) return this.#next;
    const next = this.#last.then(() => {
      this.#next = undefined;
      return this.#bring();
    });
    this.#next = next;
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #bring(): Promise<number> {
    // Several questions wait for it, and each of them may be given up alone.
    const { signal } = new AbortController();
    const { files } = await this.editor.run("openFiles", {}, signal);
    const unsaved = files.filter((file) => file.isUnsaved && pathOfFileUri(file.uri) !== undefined);
    const texts = new Map<string, string>();
    for (const { uri } of unsaved) {
      const { text } = await this.editor.run("readDocument", { uri }, signal);
      if (text !== null) texts.set(normalUri(uri), text);
    }
    for (const [uri, text] of texts) if (this.#shown.get(uri) !== text) await this.#show(uri, text, signal);
    for (const uri of [...this.#shown.keys()]) if (!texts.has(uri)) await this.#show(uri, null, signal);
    return this.#revision;
  }

  async #show(uri: string, text: string | null, signal: AbortSignal): Promise<void> {
    this.#revision++;
    await this.servers.run("setDocument", { uri, text }, signal);
    if (text === null) this.#shown.delete(uri);
    else this.#shown.set(uri, text);
  }
}
