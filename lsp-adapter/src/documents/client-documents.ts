import { statSync } from "node:fs";
import { pathOfFileUri } from "@symposium-dev/core";
import { readUntrustedBytes } from "@symposium-dev/core/node";

/** Documents as one client sees them: the client's unsaved text if there is one, otherwise the text on disk. */
export class DocumentView {
  readonly #unsaved = new Map<string, string>();

  constructor(private readonly disk: DiskTexts) {}

  /** The client's unsaved texts by canonical URI. */
  get unsaved(): ReadonlyMap<string, string> {
    return this.#unsaved;
  }

  /** Returns a document's text; undefined if missing. */
  textOf(uri: string): string | undefined {
    return this.#unsaved.get(uri) ?? this.diskTextOf(uri);
  }

  /** Returns the text on disk, ignoring unsaved text. */
  diskTextOf(uri: string): string | undefined {
    const path = pathOfFileUri(uri);
    return path === undefined ? undefined : this.disk.read(path);
  }

  /** Returns a line without its ending; undefined if missing. */
  lineOf(uri: string, line: number): string | undefined {
    return this.textOf(uri)?.split(/\r\n|\r|\n/, line + 1)[line];
  }

  /** Sets the unsaved text of a document, or removes it if `text` is null. */
  set(uri: string, text: string | null): void {
    if (text === null) this.#unsaved.delete(uri);
    else this.#unsaved.set(uri, text);
  }
}

interface CachedText {
  readonly text: string;
  readonly stamp: string;
  /** Whether the file was read so soon after a write that a later write could have the same time. */
  readonly isYoung: boolean;
}

/** Maximum size of a file to read. */
const maxBytes = 16 * 1024 * 1024;
/** Resolution of file times in milliseconds, rounded up. */
const youngMs = 50;
const maxEntries = 512;

/** Cache of current file texts on disk; rereads a file when its stamp changes. */
export class DiskTexts {
  readonly #entries = new Map<string, CachedText>();

  /** Returns the text; undefined if the file isn't readable as UTF-8. */
  read(path: string): string | undefined {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (!stats?.isFile() || stats.size > maxBytes) {
      this.#entries.delete(path);
      return undefined;
    }
    const stamp = `${stats.mtimeNs}:${stats.ctimeNs}:${stats.size}:${stats.ino}`;
    const known = this.#entries.get(path);
    if (known?.stamp === stamp && !known.isYoung) return known.text;
    const isYoung = Date.now() - Number(stats.mtimeMs) < youngMs;
    const text = textOf(path);
    this.#entries.delete(path);
    if (text !== undefined) this.#keep(path, { text, stamp, isYoung });
    return text;
  }

  #keep(path: string, entry: CachedText): void {
    this.#entries.set(path, entry);
    if (this.#entries.size <= maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Maximum size of a document. */
const maxDocumentBytes = 64 * 1024 * 1024;

function textOf(path: string): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      readUntrustedBytes(path, { maxBytes: maxDocumentBytes, links: "follow" }),
    );
  } catch {
    return undefined; // It is no UTF-8 text, or was removed meanwhile.
  }
}
