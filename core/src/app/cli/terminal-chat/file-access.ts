import { numberOf, stringOf } from "../../../base/rpc/json.js";
import type { ReadTextFileRequest, WriteTextFileRequest } from "@agentclientprotocol/sdk/unstable";
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, join } from "node:path";
import { isInside } from "../../../base/node/folders.js";
import { loadUntrustedText } from "../../../base/node/read-untrusted-file.js";
import { atomicWrite, projectFileMode, systemCode, unlessCode } from "../../../base/node/atomic-write.js";
import { type CheckedPath, checkPath } from "../../../base/safety/node/checked-path.js";
import { RequestFailure } from "../../../conductor/client/agent-errors.js";
import type { Unchecked } from "../../../conductor/client/unchecked.js";
import { RpcError, rpcErrorCodes } from "../../../base/rpc/rpc-error.js";

interface FilePermission {
  /** Whether `use` of the file is allowed; may ask the user. */
  allowsFile(file: CheckedPath, use: "read" | "write", signal: AbortSignal): Promise<boolean>;
}

/**
 * Agent's file access through its client, limited to real paths in one folder and subject to permission. Denies links that lead outside.
 * Every failure is a {@link RequestFailure} that names the path.
 */
export class FileAccess {
  constructor(
    private readonly folder: string,
    private readonly permission: FilePermission,
  ) {}

  /** `fs/read_text_file {path, line?, limit?}`: returns the text, or at most `limit` lines starting at `line` (1-based). */
  async read(params: Unchecked<ReadTextFileRequest>, signal: AbortSignal): Promise<{ readonly content: string }> {
    const path = pathOf(params);
    return failingWith(path, async () => {
      const real = await realpath(path);
      await this.#refuseOutside(path, real);
      await refuseUnlessFile(path, real);
      await this.#takeLeave(path, real, "read", signal);
      return { content: cut(await loadUntrustedText(real, { maxBytes }), params) };
    });
  }

  /** `fs/write_text_file {path, content}`: replaces or creates the file, including missing folders. */
  async write(params: Unchecked<WriteTextFileRequest>, signal: AbortSignal): Promise<void> {
    const path = pathOf(params);
    const content = stringOf(params.content);
    if (content === undefined) throw refused(`"content" of ${path} must be a string`);
    await failingWith(path, async () => {
      const real = await realTarget(path);
      await this.#refuseOutside(path, real);
      if (await exists(real)) await refuseUnlessFile(path, real);
      await this.#takeLeave(path, real, "write", signal);
      await atomicWrite(real, content, { newFileMode: projectFileMode, isRealPath: true });
    });
  }

  /** Asks for permission, then checks that `path` still resolves to `real`. Throws otherwise. */
  async #takeLeave(path: string, real: string, use: "read" | "write", signal: AbortSignal): Promise<void> {
    const checked = await checkPath(path, this.folder, [this.folder]);
    const isAllowed = await this.permission.allowsFile(checked, use, signal);
    if (!isAllowed || (await realTarget(path)) !== real) {
      const message = `The user did not allow you to ${use} ${path}. Nothing was done; this isn't a tool failure.`;
      throw new RequestFailure(RpcError.internal(message));
    }
  }

  async #refuseOutside(path: string, real: string): Promise<void> {
    if (!isInside(real, await realpath(this.folder))) {
      throw refused(`${path} is outside ${this.folder}, the folder of this session`);
    }
  }
}

const maxBytes = 64 * 1024 * 1024;

function pathOf(params: { readonly path?: unknown }): string {
  const path = stringOf(params.path);
  if (path === undefined) throw refused('"path" must be a string');
  if (!isAbsolute(path)) throw refused(`${path} is not an absolute path`);
  return path;
}

/** Resolves the real path of a file that may not exist: the real path of the nearest existing folder plus the remaining names. */
async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // Rejects dangling links, because opening a dangling link follows it.
    if (systemCode(error) !== "ENOENT" || (await exists(path)) || dirname(path) === path) throw error;
    return join(await realTarget(dirname(path)), basename(path));
  }
}

async function exists(path: string): Promise<boolean> {
  return (await unlessCode(lstat(path), ["ENOENT"])) !== undefined;
}

/** Rejects anything but regular files, since reading a pipe or device might never end. */
async function refuseUnlessFile(path: string, real: string): Promise<void> {
  if (!(await stat(real)).isFile()) throw refused(`${path} is not a file`);
}

function cut(text: string, params: Unchecked<ReadTextFileRequest>): string {
  const line = Math.max(1, Math.floor(numberOf(params.line) ?? 1));
  const limit = numberOf(params.limit);
  if (line === 1 && limit === undefined) return text;
  const lines = text.split(/(?<=\n)/);
  return lines.slice(line - 1, limit === undefined ? undefined : line - 1 + Math.max(0, Math.floor(limit))).join("");
}

async function failingWith<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestFailure) throw error;
    const code = systemCode(error) || "unknown error";
    if (code === "ENOENT")
      throw new RequestFailure(new RpcError(rpcErrorCodes.notFound, `Resource not found: ${path}`, { path }));
    throw new RequestFailure(RpcError.internal(`${path}: ${code}`, { path }));
  }
}

function refused(detail: string): RequestFailure {
  return new RequestFailure(RpcError.invalidParams(detail));
}
