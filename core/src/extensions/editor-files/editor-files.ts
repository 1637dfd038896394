import { acpMethods } from "../../base/acp/methods.js";
import { SymposiumError } from "../../base/symposium-error.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { asObject, textOf } from "../../base/rpc/json.js";
import { Request } from "../../base/rpc/message.js";
import { ask } from "../../base/rpc/peer.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { sensitiveFile } from "../../base/safety/sensitive-file.js";
import type { ProxyChain } from "../../conductor/chain/proxy.js";
import type { SensitiveFile } from "../../base/safety/sensitive-files.js";

/** Disk access and delays, replaceable in tests. */
export interface EditorDisk {
  /** Reads the text of a file at an absolute path; undefined if it isn't a readable text file. */
  readText(path: string): Promise<string | undefined>;
  /** Resolves links; returns the path itself if unknown. */
  realPath?(path: string): Promise<string>;
  wait(ms: number): Promise<void>;
}

/** Number of reads, and milliseconds between them, while the editor's text differs from the disk. */
const attempts = 8;
const pauseMs = 100;

/** Reads and writes files through the editor, including unsaved changes (ACP `fs/read_text_file`, `fs/write_text_file`). */
export class EditorFiles {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly chain: Pick<ProxyChain, "client" | "refuseFile">,
    private readonly disk: EditorDisk,
    private readonly sessionId: () => string | undefined,
    private readonly folder: string,
  ) {}

  /** Runs work one after the other, since an edit is a read followed by a write. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Reads the editor's text; undefined if the file doesn't exist. Editors notice changes on disk with a delay, so this retries while the
   * texts differ. A remaining difference means unsaved changes.
   */
  async read(path: string, signal: AbortSignal): Promise<{ text: string; isUnsaved: boolean } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const [text, saved] = [await this.#read(path, signal), await this.disk.readText(path)];
      // Zed returns an empty text for a missing file.
      if (saved === undefined && (text === undefined || text === "")) return undefined;
      const isSame = text !== undefined && saved !== undefined && unix(saved) === unix(text);
      if (isSame || attempt === attempts) return text === undefined ? undefined : { text, isUnsaved: !isSame };
      await this.disk.wait(pauseMs);
    }
  }

  /**
   * Writes and saves through the editor, and returns the resulting text, which the editor may have formatted. Rejects only if nothing was
   * written. Asks the user before writing files that contain secrets or make tools run programs, since an editor may not ask.
   */
  async write(path: string, content: string, signal: AbortSignal): Promise<string> {
    this.#check(path, true);
    const sensitive = await this.#sensitive(path);
    if (sensitive && !(await this.#isAllowed(path, sensitive, signal))) {
      const message = `The user did not allow writing ${path}, which ${sensitive.why}.`;
      throw new SymposiumError("editor-refused", message, "The file was not changed.");
    }
    const { isError, json } = await this.#ask("fs/write_text_file", { path, content }, signal);
    if (isError) throw refused(path, json.object);
    return (await this.#read(path, signal).catch(() => undefined)) ?? content;
  }

  async #sensitive(path: string): Promise<SensitiveFile | undefined> {
    const root = namesOf(this.folder);
    const isBelow = (names: readonly string[]): boolean => root.every((name, index) => name === names[index]);
    const real = (await this.disk.realPath?.(path)) ?? path;
    const found = [path, real].map(namesOf).map((names) => sensitiveFile(names, isBelow(names) ? root.length : 0));
    return found.find((row) => row !== undefined);
  }

  async #isAllowed(path: string, { why }: SensitiveFile, signal: AbortSignal): Promise<boolean> {
    const title = `Write ${path}, which ${why}`;
    const toolCall = { toolCallId: `symposium-write-${path}`, title, kind: "edit", locations: [{ path }] };
    const options = [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ];
    const { isError, json } = await this.#ask(acpMethods.requestPermission, { toolCall, options }, signal);
    return !isError && asObject(json.object?.["outcome"])?.["optionId"] === "allow";
  }

  async #read(path: string, signal: AbortSignal): Promise<string | undefined> {
    this.#check(path, false);
    const { isError, json } = await this.#ask("fs/read_text_file", { path }, signal);
    const content = json.object?.["content"];
    if (!isError) return textOf(content);
    if (json.object?.["code"] === rpcErrorCodes.notFound) return undefined;
    throw refused(path, json.object);
  }

  #check(path: string, isWritten: boolean): void {
    const reason = this.chain.refuseFile?.(path, isWritten);
    if (reason !== undefined) throw new SymposiumError("editor-refused", reason, "Use files in the session's folders.");
  }

  #ask(method: string, params: object, signal: AbortSignal): ReturnType<typeof ask> {
    return ask(this.chain.client, Request.of(method, { sessionId: this.sessionId(), ...params }), signal);
  }
}

function refused(path: string, error: Readonly<Record<string, unknown>> | undefined): SymposiumError {
  const message = typeof error?.["message"] === "string" ? error["message"] : "it gave no reason";
  const hint = "An editor can access only the files of its project. Use a shell command for other files.";
  return new SymposiumError("editor-refused", `The editor refused ${path}: ${message}.`, hint);
}

/** Splits a path and resolves `.` and `..`, which an agent's paths may contain. */
function namesOf(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split(/[\\/]/)) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

function unix(text: string): string {
  return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}

/** Whether the client's `initialize` announces file reading and writing. */
export function takesFiles({ params }: Request): boolean {
  const capabilities = params?.object?.["clientCapabilities"];
  return hasCapability(capabilities, "fs.readTextFile") && hasCapability(capabilities, "fs.writeTextFile");
}
