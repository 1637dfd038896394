import { constants } from "node:fs";
import { lstat, open, readlink, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { atomicWrite, checkPath, projectFileMode, readUntrustedBytes, systemCode } from "@symposium-dev/core/node";
import { placeFile, setMode } from "../../snapshots/write-file-or-link.js";
import type { FileAttributes } from "../hunks/file-attributes.js";
import type { FileText } from "../hunks/file-review.js";
import { byteOrderMark, decodedText, isMarked, opaqueFile, opaqueLink, parseOpaque } from "../hunks/opaque-text.js";

/** Maximum size in bytes of a reviewed file. */
const maxBytes = 20 * 1024 * 1024;
const permissionBits = 0o777;

export interface OnDisk {
  /** Text of the file; null for no file, undefined for a folder, a very large file or an unreadable file. */
  readonly text: FileText | undefined;
  readonly writtenAtMs?: number;
  readonly changedAtMs?: number;
  /** Attributes of the file; undefined if there is no file, if it is a link, or if it can't be read. */
  readonly attributes?: FileAttributes;
}

export interface KeptFiles {
  /** Returns the stored content that has a SHA-256 (in hex); undefined if it isn't stored. */
  content(hash: string): Promise<Uint8Array | undefined>;
  lastMode(path: string): Promise<number | undefined>;
}

interface Known {
  readonly kept: KeptFiles;
  /** The file's current attributes or, if the file was deleted, its last ones. */
  readonly attributes?: FileAttributes | undefined;
}

export class DiskFiles {
  /** Files with a byte order mark: whether the last read found the mark, and the last text that had one. */
  readonly #marks = new Map<string, { readonly isThere: boolean; readonly text: FileText | undefined }>();
  /** Paths at which a link itself is reviewed instead of its target. */
  readonly #links = new Set<string>();
  /**
   * Real paths of files and their folders at the first read, by path; undefined if a path can't be resolved. If an agent later replaces a
   * file or folder by a link, the user's answers aren't written through that link.
   */
  readonly #leads = new Map<string, Promise<string | undefined>>();

  async look(path: string): Promise<OnDisk> {
    // Resolve the path before reading, so that a link that later replaces the file is detected.
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

  asLink(path: string): void {
    this.#links.add(path);
  }

  wasMarked(path: string, text: string): void {
    this.#marks.set(path, { isThere: this.#marks.get(path)?.isThere ?? false, text });
  }

  /** Returns whether a file still resolves to its first real path. For a reviewed link, compares its folder. */
  async leadsAsBefore(path: string, text?: FileText): Promise<boolean> {
    const isOwnLink = this.#links.has(path) || parseOpaque(text ?? null)?.kind === "link";
    const one = isOwnLink ? dirname(path) : path;
    return (await this.#leads.get(one)) === (await leadOf(one));
  }

  /**
   * Sets a file's attributes without changing its text, if the current attributes are `expected` or already `wanted`; otherwise, or on
   * failure, changes nothing and returns false. In binary files, ignores the byte order mark.
   */
  async setAttributes(path: string, wanted: FileAttributes, expected: FileAttributes): Promise<boolean> {
    if (!(await this.leadsAsBefore(path))) return false;
    try {
      // Don't follow links, and don't block on a pipe.
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
          if (!isSame || !(await this.leadsAsBefore(path))) throw new Error(`${path} changed in the meantime`);
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

  /** Replaces an existing file's text if the file still has the text `onDisk`. Returns false if the text differs or if writing fails. */
  async replace(path: string, text: string, onDisk: FileText | undefined, isMarkApart = false): Promise<boolean> {
    const place = await this.#leads.get(path);
    if (place === undefined || !(await this.leadsAsBefore(path))) return false;
    const beforeReplacing = async (): Promise<void> => {
      const isSame = decodedText(readUntrustedBytes(place, { maxBytes })) === onDisk;
      if (!isSame || !(await this.leadsAsBefore(path))) throw new Error(`${path} changed in the meantime`);
    };
    const options = { newFileMode: projectFileMode, isRealPath: true, beforeReplacing };
    const hasMark = isMarkApart ? this.#marks.get(path)?.isThere === true : undefined;
    return succeeds(atomicWrite(place, this.bytesOf(path, text, hasMark), options));
  }

  /** Does the same as `replace` for links, binary files, and texts that replace them. */
  async place(path: string, text: FileText, onDisk: OnDisk, { kept, attributes }: Known): Promise<boolean> {
    const opaque = parseOpaque(text);
    const plain = this.bytesOf(path, text ?? "", attributes?.hasMark);
    const bytes = opaque?.kind === "file" ? await kept.content(opaque.hash) : plain;
    const what = opaque?.kind === "link" ? opaque : text === null ? null : bytes;
    if (what === undefined) return false;
    const beforeReplacing = async (): Promise<void> => {
      const isSame = (await this.look(path)).text === onDisk.text && (await this.leadsAsBefore(path, onDisk.text));
      if (!isSame) throw new Error(`${path} changed in the meantime`);
    };
    // An existing file keeps its own mode.
    const mode = onDisk.attributes ? undefined : (attributes?.mode ?? (await kept.lastMode(path)));
    return succeeds(placeFile(path, what, { mode, beforeReplacing }));
  }

  /** Encodes a text. By default, adds a byte order mark if the file has a mark now, or had a mark when it last had this text. */
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

/** Returns a folder's real path, even if the folder doesn't exist; undefined if it can't be resolved. */
function leadOf(folder: string): Promise<string | undefined> {
  return checkPath(folder, folder, []).then(
    ({ real }) => real,
    () => undefined,
  );
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(bytes))).toString("hex");
}
