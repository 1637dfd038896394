import { isAbsolute } from "node:path";
import * as z from "zod/mini";
import { fileUri, RequestFailure, RpcError } from "@symposium-dev/core";
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
import type { AbilityCall, AbilitySession, ClientAbility } from "../../acp/abilities.js";
import { pathLabel } from "../../acp/tool-content.js";
import type { Permissions } from "../permissions/permissions.js";

/** A file that the editor has open. */
export interface OpenDocument {
  readonly text: string;
  /** It has changes that are not on disk. */
  readonly isDirty: boolean;
  /** Makes `text` its content by an edit that can be undone. Returns the text that it has then. */
  replace(text: string): Promise<string>;
  /** Returns the saved text, which formatters may have changed; undefined if the editor refuses to save. */
  save(): Promise<string | undefined>;
}

/** The editor's documents and its idea of encodings. */
export interface OpenDocuments {
  /** The open document of a file, by the path as named or with links followed. */
  find(paths: readonly string[]): OpenDocument | undefined;
  decode(path: string, bytes: Uint8Array): Promise<string>;
  /** `old` is what the file held: a text that began with a byte order mark keeps it and its encoding. */
  encode(path: string, text: string, old: Uint8Array | undefined): Promise<Uint8Array>;
}

/** A file that an agent wrote through the editor. */
export interface WrittenFile {
  readonly session: AbilitySession;
  /** Absolute, as the agent named it. */
  readonly path: string;
  /** Undefined where there was no file. */
  readonly before: string | undefined;
  readonly after: string;
  /** `before` was the editor's alone, not the disk's. */
  readonly wasUnsaved: boolean;
}

interface DocumentsOptions {
  readonly open: OpenDocuments;
  readonly permissions: Pick<Permissions, "allows" | "hasGranted">;
  /** Hears of every write, before the agent hears that it is done. */
  written(file: WrittenFile): void;
}

const readParams = z.looseObject({ path: z.string(), line: z.nullish(z.number()), limit: z.nullish(z.number()) });
const writeParams = z.looseObject({ path: z.string(), content: z.string() });
const maxBytes = 64 * 1024 * 1024;

interface Replaced extends Pick<WrittenFile, "before" | "after" | "wasUnsaved"> {
  /** False if the editor has the text but refused to save it. */
  readonly isSaved: boolean;
}

interface Target {
  readonly session: AbilitySession;
  readonly checked: CheckedPath;
}

/**
 * `fs/read_text_file` and `fs/write_text_file`: unsaved text of the editor goes before the disk. Outside the session's
 * roots, and for files with secrets, settings or Git's own data, the user is asked.
 */
export class Documents implements ClientAbility {
  readonly capabilities = { fs: { readTextFile: true, writeTextFile: true } };
  readonly requests = {
    "fs/read_text_file": (call: AbilityCall): Promise<unknown> => this.#read(call),
    "fs/write_text_file": (call: AbilityCall): Promise<unknown> => this.#write(call),
  };
  /** Writes in the order of their requests, by the path that they name. */
  readonly #byName = new KeyedQueue();
  /** Writes to one file by several names, by its real path. */
  readonly #byFile = new KeyedQueue();

  constructor(private readonly options: DocumentsOptions) {}

  async #read(call: AbilityCall): Promise<unknown> {
    const { path, line, limit } = parse(readParams, call.params, "path");
    const target = await this.#target(call, path, "read");
    const open = this.#find(target);
    // A clean document equals the disk, or the disk is newer.
    const text = open?.isDirty === true ? open.text : await this.#textOnDisk(target);
    if (text === undefined) throw notFound(path);
    return { content: lineRange(text, line ?? undefined, limit ?? undefined) };
  }

  async #write(call: AbilityCall): Promise<unknown> {
    const { path, content } = parse(writeParams, call.params, "path and content");
    // Finding out where a path leads takes longer for one write than for the next: they queue up before.
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

  async #replace(target: Target, content: string): Promise<Replaced> {
    const bytes = await bytesOnDisk(target);
    const onDisk = bytes && (await this.#decode(target, bytes));
    const open = this.#find(target);
    if (open && (open.isDirty || open.text === onDisk)) {
      const before = open.text;
      const edited = await open.replace(content);
      const saved = await open.save();
      return { before, after: saved ?? edited, wasUnsaved: before !== onDisk, isSaved: saved !== undefined };
    }
    // A clean document that is behind the disk takes what we write there.
    const after = keepLineEnds(content, onDisk);
    const { path, real } = target.checked;
    const encoded = await this.options.open.encode(path, after, bytes);
    const options = { newFileMode: projectFileMode, isRealPath: true };
    await atomicWrite(real, encoded, options).catch((error: unknown) => {
      throw new RequestFailure(RpcError.internal(`${path} could not be written: ${String(error)}`));
    });
    return { before: onDisk, after, wasUnsaved: false, isSaved: true };
  }

  async #target(call: AbilityCall, path: string, use: "read" | "write"): Promise<Target> {
    const { session, signal } = call;
    if (!session) throw new RequestFailure(RpcError.invalidParams("the file operation names no open session"));
    if (!isAbsolute(path)) throw new RequestFailure(RpcError.invalidParams(`the path "${path}" is not absolute`));
    const checked = await checkPath(path, path, session.roots);
    if (needsLeave(checked, use) && !this.options.permissions.hasGranted(session, checked, use)) {
      const question = {
        title: `${use === "read" ? "Read" : "Write"} ${pathLabel(checked.path, session.roots)}`,
        toolKind: use === "read" ? "read" : "edit",
        rawInput: { path: checked.path },
        paths: [checked.path],
        isUserOnly: use === "write" && checked.isGitInternal,
      };
      if (!(await this.options.permissions.allows(session, question, signal))) throw refused(path, use);
      // Links may have changed while the user thought.
      if ((await checkPath(path, path, session.roots)).real !== checked.real) throw refused(path, use);
    }
    return { session, checked };
  }

  #find({ checked }: Target): OpenDocument | undefined {
    return this.options.open.find([checked.path, checked.real]);
  }

  async #textOnDisk(target: Target): Promise<string | undefined> {
    const bytes = await bytesOnDisk(target);
    return bytes && this.#decode(target, bytes);
  }

  #decode({ checked }: Target, bytes: Uint8Array): Promise<string> {
    return this.options.open.decode(checked.path, bytes);
  }
}

async function bytesOnDisk({ checked: { path, real } }: Target): Promise<Uint8Array | undefined> {
  try {
    return await loadUntrustedBytes(real, { maxBytes });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
    if (!(error instanceof RefusedFile)) throw error;
    const limit = `${maxBytes / 1024 / 1024} MB`;
    const reason = error.refusal === "long" ? `is larger than ${limit}; read it by a command` : "is not a file";
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
  const reason = "The file may have changed on disk meanwhile, or it is read-only.";
  const remedy = "Read the file again. The user decides in the editor which text is kept.";
  return new RequestFailure(
    RpcError.internal(`${path} has the new text in the editor, but could not be saved. ${reason} ${remedy}`),
  );
}

function refused(path: string, use: "read" | "write"): RequestFailure {
  const message = `The user did not allow to ${use} ${path}. Nothing was done; this is no failure of the tool.`;
  return new RequestFailure(RpcError.internal(message));
}

/** Work that must not overlap, by key: of one key each waits for the one before it, in the order in which they came. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does `work` in its turn. A failure is the caller's alone. */
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

  /** Resolves when nothing is to be done any more. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

/**
 * `text` with the line ends of `before`: agents tend to write LF where a file has CRLF. A text that has CRLF itself
 * stays as it is.
 */
function keepLineEnds(text: string, before: string | undefined): string {
  if (before === undefined || text.includes("\r\n")) return text;
  const all = before.match(/\n/g)?.length ?? 0;
  const windows = before.match(/\r\n/g)?.length ?? 0;
  return windows > 0 && windows * 2 > all ? text.replaceAll("\n", "\r\n") : text;
}

/** The lines from `line` (1-based, default the first), at most `limit` of them, with the ends that they have. */
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
