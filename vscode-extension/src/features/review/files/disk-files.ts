import { constants } from "node:fs";
import { lstat, open, readlink, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { atomicWrite, checkPath, projectFileMode, readUntrustedBytes, systemCode } from "@symposium-dev/core/node";
import { placeFile, setMode } from "../../snapshots/place-file.js";
import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { byteOrderMark, decodedText, isMarked, opaqueFile, opaqueLink, parseOpaque } from "../hunks/opaque-text.js";

/** Larger files are not reviewed. In bytes. */
const maxBytes = 20 * 1024 * 1024;
const permissionBits = 0o777;

/** A file on disk at one moment. */
export interface OnDisk {
  /** Null where there is no file; undefined for a folder, a very large file, and what cannot be read. */
  readonly text: FileText | undefined;
  readonly writtenAtMs?: number;
  /** When it, or who may do what with it, was changed. */
  readonly changedAtMs?: number;
  /** What a file has besides its text; undefined where there is none, for a link, and where it cannot be read. */
  readonly attributes?: FileAttributes;
}

/** What is kept of files that are not on disk any more. */
export interface KeptFiles {
  /** By its SHA-256 in hex; undefined where it is not kept. */
  content(hash: string): Promise<Uint8Array | undefined>;
  /** The permission bits that a file had when it was last there. */
  lastMode(path: string): Promise<number | undefined>;
}

interface Known {
  readonly kept: KeptFiles;
  /** What the file has, or had when it was last there, besides its text. */
  readonly attributes?: FileAttributes | undefined;
}

/** Files on disk as the review reads them: texts, what stands for other contents, links, byte order marks. */
export class DiskFiles {
  /** Files with a byte order mark: whether it was there when they were last read, and the text that they last had behind one. */
  readonly #marks = new Map<string, { readonly isThere: boolean; readonly text: FileText | undefined }>();
  /** Paths at which a link is a thing of its own. */
  readonly #links = new Set<string>();
  /**
   * Places that files and their folders led to when each file was first read, by path. If an agent replaces one of them by a link
   * later, the user's answers are not written through that link. Undefined if a path could not be followed.
   */
  readonly #leads = new Map<string, Promise<string | undefined>>();

  async look(path: string): Promise<OnDisk> {
    // Known before the text is: a link that replaces the file after this reading is then another place.
    await Promise.all([path, dirname(path)].map((one) => this.#leadFirst(one)));
    try {
      const entry = await lstat(path);
      const isLink = entry.isSymbolicLink();
      const file = isLink ? await stat(path).catch(() => undefined) : entry;
      if (isLink && (this.#links.has(path) || file?.isFile() !== true))
        return { text: opaqueLink(await readlink(path)) };
      if (file?.isFile() !== true || file.size > maxBytes) return { text: undefined };
      const bytes = readUntrustedBytes(path, { maxBytes, ...(isLink && { links: "follow" }) });
      const text = decodedText(bytes);
      const known = this.#marks.get(path);
      if (isMarked(bytes)) this.#marks.set(path, { isThere: true, text });
      else if (known) this.#marks.set(path, { ...known, isThere: false });
      const attributes = { mode: file.mode & permissionBits, hasMark: text !== undefined && isMarked(bytes) };
      return {
        text: text ?? opaqueFile(await hashOf(bytes)),
        writtenAtMs: file.mtimeMs,
        changedAtMs: file.ctimeMs,
        ...(!isLink && { attributes }),
      };
    } catch (error) {
      return { text: systemCode(error) === "ENOENT" ? null : undefined };
    }
  }

  #leadFirst(path: string): Promise<string | undefined> {
    const known = this.#leads.get(path) ?? leadOf(path);
    this.#leads.set(path, known);
    return known;
  }

  /** From now on a link at this path is a thing of its own, and not what it leads to. */
  asLink(path: string): void {
    this.#links.add(path);
  }

  /** The file had a byte order mark before this text. */
  wasMarked(path: string, text: string): void {
    this.#marks.set(path, { isThere: this.#marks.get(path)?.isThere ?? false, text });
  }

  /** Whether a file still leads to the place that was read first. Of a link under review, its folder counts. */
  async leadsAsBefore(path: string, text?: FileText): Promise<boolean> {
    const isOwnLink = this.#links.has(path) || parseOpaque(text ?? null)?.kind === "link";
    const one = isOwnLink ? dirname(path) : path;
    return (await this.#leads.get(one)) === (await leadOf(one));
  }

  /**
   * Gives a file other attributes and leaves its text, if it has those that are expected, or the wanted ones by now.
   * What is no text has no byte order mark. False where it has others, or cannot be changed: then nothing was.
   */
  async setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean> {
    if (!(await this.leadsAsBefore(path))) return false;
    try {
      // What a link leads to is another file, and a pipe is not waited for.
      await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const stats = await file.stat();
      if (!stats.isFile()) return false;
      const mode = stats.mode & permissionBits;
      const isOtherMode = wanted.mode !== expected.mode && mode !== wanted.mode;
      if (isOtherMode && mode !== expected.mode) return false;
      const bytes = wanted.hasMark === expected.hasMark ? undefined : await file.readFile();
      if (bytes && decodedText(bytes) !== undefined && isMarked(bytes) !== wanted.hasMark) {
        const plain = expected.hasMark ? bytes.subarray(byteOrderMark.length) : bytes;
        const beforeReplacing = async (): Promise<void> => {
          const isSame = bytes.equals(readUntrustedBytes(path, { maxBytes }));
          if (!isSame || !(await this.leadsAsBefore(path))) throw new Error(`${path} was changed meanwhile`);
        };
        const replaced = wanted.hasMark ? Buffer.concat([byteOrderMark, plain]) : plain;
        await atomicWrite(path, replaced, { isRealPath: true, beforeReplacing });
        this.#marks.set(path, { isThere: wanted.hasMark, text: undefined });
        if (isOtherMode) await setMode(path, wanted.mode);
      } else if (isOtherMode) await file.chmod(wanted.mode);
      return true;
    } catch {
      return false;
    }
  }

  /** Gives a file that is there another text, if it still has `onDisk`. False where it has not, or cannot be written. */
  async replace(path: string, text: string, onDisk: FileText | undefined, isMarkApart = false): Promise<boolean> {
    const place = await this.#leads.get(path);
    if (place === undefined || !(await this.leadsAsBefore(path))) return false;
    const beforeReplacing = async (): Promise<void> => {
      const isSame = decodedText(readUntrustedBytes(place, { maxBytes })) === onDisk;
      if (!isSame || !(await this.leadsAsBefore(path))) throw new Error(`${path} was changed meanwhile`);
    };
    const options = { newFileMode: projectFileMode, isRealPath: true, beforeReplacing };
    const hasMark = isMarkApart ? this.#marks.get(path)?.isThere === true : undefined;
    return succeeds(atomicWrite(place, this.bytesOf(path, text, hasMark), options));
  }

  /** The same of a link, of a file that is no text, and of what comes in their place. */
  async place(path: string, text: FileText, onDisk: OnDisk, { kept, attributes }: Known): Promise<boolean> {
    const opaque = parseOpaque(text);
    const plain = this.bytesOf(path, text ?? "", attributes?.hasMark);
    const bytes = opaque?.kind === "file" ? await kept.content(opaque.hash) : plain;
    const what = opaque?.kind === "link" ? opaque : text === null ? null : bytes;
    if (what === undefined) return false;
    const beforeReplacing = async (): Promise<void> => {
      const isSame = (await this.look(path)).text === onDisk.text && (await this.leadsAsBefore(path, onDisk.text));
      if (!isSame) throw new Error(`${path} was changed meanwhile`);
    };
    // A file that is there keeps its own.
    const mode = onDisk.attributes ? undefined : (attributes?.mode ?? (await kept.lastMode(path)));
    return succeeds(placeFile(path, what, { mode, beforeReplacing }));
  }

  /** What to write for a text; where nobody knows better, with the byte order mark that the file has, or had with this text. */
  bytesOf(path: string, text: string, hasMark = this.#isMarkedAs(path, text)): Uint8Array {
    const bytes = new TextEncoder().encode(text);
    return hasMark ? Buffer.concat([byteOrderMark, bytes]) : bytes;
  }

  #isMarkedAs(path: string, text: string): boolean {
    const known = this.#marks.get(path);
    return known?.isThere === true || known?.text === text;
  }
}

function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Where a folder leads with all links followed, though it need not exist. Undefined where that cannot be told. */
function leadOf(folder: string): Promise<string | undefined> {
  return checkPath(folder, folder, []).then(
    ({ real }) => real,
    () => undefined,
  );
}

/** In a thread of the system's. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(bytes))).toString("hex");
}
