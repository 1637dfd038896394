import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import { canBypass, fileUri, RequestFailure, RpcError } from "@symposium-dev/core";
import {
  atomicWrite,
  type CheckedPath,
  checkPath,
  loadUntrustedBytes,
  needsLeave,
  projectFileMode,
  RefusedFile,
  systemCode,
} from "@symposium-dev/core/node";
import type { AbilityCall, AbilitySession, ClientAbility } from "../../acp/client-abilities.js";
import { pathLabel } from "../../acp/tool-content.js";
import type { Permissions } from "../permissions/permissions.js";

export interface OpenDocument {
  readonly text: string;
  readonly isDirty: boolean;
  /** Replaces the content with an undoable edit. Returns the resulting text. */
  replace(text: string): Promise<string>;
  /** Saves the document and returns the saved text, which formatters may have changed; undefined if the editor refuses to save. */
  save(): Promise<string | undefined>;
}

export interface OpenDocuments {
  find(paths: readonly string[]): OpenDocument | undefined;
  decode(path: string, bytes: Uint8Array): Promise<string>;
  /** Encodes `text`. If the old content `old` has a byte order mark, keeps the mark and its encoding. */
  encode(path: string, text: string, old: Uint8Array | undefined): Promise<Uint8Array>;
}

export interface WrittenFile {
  readonly session: AbilitySession;
  readonly path: string;
  /** File's text before the change; undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly wasUnsaved: boolean;
}

interface DocumentsOptions {
  readonly open: OpenDocuments;
  readonly permissions: Pick<Permissions, "allows" | "hasGranted">;
  written(file: WrittenFile): void;
}

const readParams = z.looseObject({ path: z.string(), line: z.nullish(z.number()), limit: z.nullish(z.number()) });
const writeParams = z.looseObject({ path: z.string(), content: z.string() });
const maxBytes = 64 * 1024 * 1024;

interface Replaced extends Pick<WrittenFile, "before" | "after" | "wasUnsaved"> {
  /** False if the editor applied the text but refused to save. */
  readonly isSaved: boolean;
}

interface FileTarget {
  readonly session: AbilitySession;
  readonly checked: CheckedPath;
}

/**
 * Implements `fs/read_text_file` and `fs/write_text_file`. Unsaved text in the editor takes precedence over the disk; access outside the
 * session's roots or to secrets, settings and Git data requires the user's permission.
 */
export class Documents implements ClientAbility {
  readonly capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  readonly requests = {
    "fs/read_text_file": (call: AbilityCall): Promise<unknown> => this.#read(call),
    "fs/write_text_file": (call: AbilityCall): Promise<unknown> => this.#write(call),
  };
  /** Runs writes to the same path, as given in the request, in request order. */
  readonly #byName = new KeyedQueue();
  /** Runs writes to the same file one after the other, even if requests use different paths for it. Keys are real paths. */
  readonly #byFile = new KeyedQueue();

  constructor(private readonly options: DocumentsOptions) {}

  async #read(call: AbilityCall): Promise<unknown> {
    const { path, line, limit } = parse(readParams, call.params, "path");
    const target = await this.#target(call, path, "read");
    const open = this.#find(target);
    // If the document has no unsaved changes, read the file: the document can be older.
    const text = open?.isDirty === true ? open.text : await this.#textOnDisk(target);
    if (text === undefined) throw notFound(path);
    return { content: lineRange(text, line ?? undefined, limit ?? undefined) };
  }

  async #write(call: AbilityCall): Promise<unknown> {
    const { path, content } = parse(writeParams, call.params, "path and content");
    // Queue before resolving the path, since resolving can take longer for an earlier write than for a later one.
    return this.#byName.run(path, async () => {
      const target = await this.#target(call, path, "write");
      const { isSaved, ...replaced } = await this.#byFile.run(target.checked.real, () =>
        this.#replace(target, content),
      );
      this.options.written({ session: target.session, path: target.checked.path, ...replaced });
      if (!isSaved) throw notSaved(path);
      return {};
    });
  }

  async #replace(target: FileTarget, content: string): Promise<Replaced> {
    const bytes = await bytesOnDisk(target);
    const onDisk = bytes && (await this.#decode(target, bytes));
    const open = this.#find(target);
    if (open && (open.isDirty || open.text === onDisk)) {
      const before = open.text;
      const edited = await open.replace(content);
      const saved = await open.save();
      return { before, after: saved ?? edited, wasUnsaved: before !== onDisk, isSaved: saved !== undefined };
    }
    // A document without unsaved changes reloads after this write, even if it was older than the file.
    const after = keepLineEnds(content, onDisk);
    const { path, real } = target.checked;
    const encoded = await this.options.open.encode(path, after, bytes);
    const options = { newFileMode: projectFileMode, isRealPath: true };
    await atomicWrite(real, encoded, options).catch((error: unknown) => {
      throw new RequestFailure(RpcError.internal(`${path} could not be written: ${String(error)}`));
    });
    return { before: onDisk, after, wasUnsaved: false, isSaved: true };
  }

  async #target(call: AbilityCall, path: string, use: "read" | "write"): Promise<FileTarget> {
    const { session, signal } = call;
    if (!session) throw new RequestFailure(RpcError.invalidParams("the file operation doesn't name an open session"));
    if (!isAbsolute(path)) throw new RequestFailure(RpcError.invalidParams(`the path "${path}" is not absolute`));
    const checked = await checkPath(path, path, session.roots);
    if (needsLeave(checked, use) && !this.options.permissions.hasGranted(session, checked, use)) {
      const question = {
        title: `${use === "read" ? "Read" : "Write"} ${pathLabel(checked.path, session.roots)}`,
        toolKind: use === "read" ? "read" : "edit",
        rawInput: { path: checked.path },
        paths: [checked.path],
        isUserOnly: (use === "write" && checked.isGitInternal) || !canBypass(call.params),
      };
      if (!(await this.options.permissions.allows(session, question, signal))) throw refused(path, use);
      // Check the real path again, because symbolic links may have changed while the user decided.
      if ((await checkPath(path, path, session.roots)).real !== checked.real) throw refused(path, use);
    }
    return { session, checked };
  }

  #find({ checked }: FileTarget): OpenDocument | undefined {
    return this.options.open.find([checked.path, checked.real]);
  }

  async #textOnDisk(target: FileTarget): Promise<string | undefined> {
    const bytes = await bytesOnDisk(target);
    return bytes && this.#decode(target, bytes);
  }

  #decode({ checked }: FileTarget, bytes: Uint8Array): Promise<string> {
    return this.options.open.decode(checked.path, bytes);
  }
}

async function bytesOnDisk({ checked: { path, real } }: FileTarget): Promise<Uint8Array | undefined> {
  try {
    return await loadUntrustedBytes(real, { maxBytes });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    if (!(error instanceof RefusedFile)) throw error;
    const limit = `${maxBytes / 1024 / 1024} MB`;
    const reason = error.refusal === "long" ? `is larger than ${limit}; read it with a command` : "is not a file";
    throw new RequestFailure(RpcError.invalidParams(`"${path}" ${reason}`));
  }
}

function parse<T extends z.ZodMiniType>(schema: T, params: unknown, needed: string): z.output<T> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  throw new RequestFailure(RpcError.invalidParams(`the file operation needs ${needed}`));
}

function notFound(path: string): RequestFailure {
  const uri = fileUri(path);
  return new RequestFailure(new RpcError(-32002, `Resource not found: ${path}`, { uri }));
}

function notSaved(path: string): RequestFailure {
  const reason = "The file may have changed on disk, or it is read-only.";
  const remedy = "Read the file again. The user decides in the editor which text to keep.";
  return new RequestFailure(
    RpcError.internal(`${path} has the new text in the editor but couldn't be saved. ${reason} ${remedy}`),
  );
}

function refused(path: string, use: "read" | "write"): RequestFailure {
  const message = `The user didn't allow the agent to ${use} ${path}. Nothing was done; this isn't a tool failure.`;
  return new RequestFailure(RpcError.internal(message));
}

/** Runs tasks with the same key one after the other, in order of arrival. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after all earlier tasks with the same key. A failure rejects only the returned promise. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = turn.catch(() => undefined);
    this.#last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key);
    }
  }

  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

/** Converts line ends to those of `before`, since agents often write LF to CRLF files. Text with any CRLF stays unchanged. */
function keepLineEnds(text: string, before: string | undefined): string {
  if (before === undefined || text.includes("\r\n")) return text;
  const all = before.match(/\n/g)?.length ?? 0;
  const windows = before.match(/\r\n/g)?.length ?? 0;
  return windows > 0 && windows * 2 > all ? text.replaceAll("\n", "\r\n") : text;
}

/** Returns up to `limit` lines from `line` (1-based, default 1), with their line ends. */
function lineRange(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = indexOfLine(text, Math.max(line ?? 1, 1) - 1, 0);
  const to = limit === undefined ? text.length : indexOfLine(text, Math.max(limit, 0), from);
  return text.slice(from, to);
}

function indexOfLine(text: string, count: number, from: number): number {
  let index = from;
  for (let passed = 0; passed < count; passed++) {
    const end = text.indexOf("\n", index);
    if (end === -1) return text.length;
    index = end + 1;
  }
  return index;
}
