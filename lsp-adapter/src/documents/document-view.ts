import { statSync } from "node:fs";
import { pathOfFileUri } from "@symposium-dev/core";
import { readUntrustedBytes } from "@symposium-dev/core/node";

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

/** What the disk holds at a path, and how to see that it is something else now. */
interface Entry {
  readonly text: string;
  readonly stamp: string;
  /** It was read so soon after it was written that a later write could carry the same time. */
  readonly isYoung: boolean;
}

/** Files larger than this are not read. */
const maxBytes = 16 * 1024 * 1024;
/** Systems count the time of a file in steps of a few milliseconds. */
const youngMs = 50;
const maxEntries = 512;

/** The texts of files as they are on disk now. Each is read once, and again when the file's stamp says so. */
export class DiskTexts {
  readonly #entries = new Map<string, Entry>();

  /** The text, or undefined where there is no file that can be read as UTF-8 text. */
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

  #keep(path: string, entry: Entry): void {
    this.#entries.set(path, entry);
    if (this.#entries.size <= maxEntries) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

/** Larger files are no documents. */
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
