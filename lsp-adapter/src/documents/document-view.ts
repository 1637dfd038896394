import { pathOfFileUri } from "@symposium-dev/core";
import type { DiskTexts } from "./disk-texts.js";

/** The documents as one client sees them: the disk, with texts in front of it that are not saved. */
export class DocumentView {
  readonly #unsaved = new Map<string, string>();

  constructor(private readonly disk: DiskTexts) {}

  /** What the client has in front of it in place of the file, by canonical URI. */
  get unsaved(): ReadonlyMap<string, string> {
    return this.#unsaved;
  }

  /** The text of a document; undefined where there is none. */
  textOf(uri: string): string | undefined {
    return this.#unsaved.get(uri) ?? this.diskTextOf(uri);
  }

  /** What is on disk, whatever the client has in front of it. */
  diskTextOf(uri: string): string | undefined {
    const path = pathOfFileUri(uri);
    return path === undefined ? undefined : this.disk.read(path);
  }

  /** One line without its ending; undefined where there is none. */
  lineOf(uri: string, line: number): string | undefined {
    return this.textOf(uri)?.split(/\r\n|\r|\n/, line + 1)[line];
  }

  /** Puts `text` in front of the file, or takes it away again. */
  set(uri: string, text: string | null): void {
    if (text === null) this.#unsaved.delete(uri);
    else this.#unsaved.set(uri, text);
  }
}
