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

/** The disk below an editor, and time. */
export interface EditorDisk {
  /** The text of the file at an absolute path; undefined where there is none that can be read as text. */
  readText(path: string): Promise<string | undefined>;
  /** Where a path leads with its links followed; the path itself where nobody knows. */
  realPath?(path: string): Promise<string>;
  wait(ms: number): Promise<void>;
}

/** How often, and how long apart, the editor is asked again while its text and the disk's differ. */
const attempts = 8;
const pauseMs = 100;

/** The files of one session as the editor has them, unsaved changes included (ACP `fs/read_text_file`, `fs/write_text_file`). */
export class EditorFiles {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly chain: Pick<ProxyChain, "client" | "refuseFile">,
    private readonly disk: EditorDisk,
    private readonly sessionId: () => string | undefined,
    private readonly folder: string,
  ) {}

  /** Does one piece of work after the other: an edit is a read and a write. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /**
   * What the editor has; undefined for a file that is not there. An editor takes a moment to notice that a program has
   * changed a file: it is asked again while it differs from the disk. What still differs then has unsaved changes.
   */
  async read(path: string, signal: AbortSignal): Promise<{ text: string; isUnsaved: boolean } | undefined> {
    for (let attempt = 1; ; attempt++) {
      const [text, saved] = [await this.#read(path, signal), await this.disk.readText(path)];
      // Zed has an empty text for a file that is not there.
      if (saved === undefined && (text === undefined || text === "")) return undefined;
      const isSame = text !== undefined && saved !== undefined && unix(saved) === unix(text);
      if (isSame || attempt === attempts) return text === undefined ? undefined : { text, isUnsaved: !isSame };
      await this.disk.wait(pauseMs);
    }
  }

  /**
   * Writes through the editor, which saves; what the file holds afterwards, which an editor that formats decides. Rejects
   * only where nothing was written: what cannot be read back counts as written as it is. The user is asked before what
   * makes tools run programs, or holds secrets, is written: an editor may leave that to the agent.
   */
  async write(path: string, content: string, signal: AbortSignal): Promise<string> {
    this.#check(path, true);
    const sensitive = await this.#sensitive(path);
    if (sensitive && !(await this.#isAllowed(path, sensitive, signal))) {
      const message = `The user did not allow to write ${path}, which ${sensitive.why}.`;
      throw new SymposiumError("editor-refused", message, "Nothing was written; this is no failure of the tool.");
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
    if (reason !== undefined) throw new SymposiumError("editor-refused", reason, "Use files of the session's folders.");
  }

  #ask(method: string, params: object, signal: AbortSignal): ReturnType<typeof ask> {
    return ask(this.chain.client, Request.of(method, { sessionId: this.sessionId(), ...params }), signal);
  }
}

function refused(path: string, error: Readonly<Record<string, unknown>> | undefined): SymposiumError {
  const message = typeof error?.["message"] === "string" ? error["message"] : "it did not say why";
  const hint = "An editor has only the files of its project: other files need a shell command.";
  return new SymposiumError("editor-refused", `The editor refuses ${path}: ${message}.`, hint);
}

/** Without dots, which a path of an agent may have. */
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

/** Whether a client that sends this `initialize` reads and writes files for agents. */
export function takesFiles({ params }: Request): boolean {
  const capabilities = params?.object?.["clientCapabilities"];
  return hasCapability(capabilities, "fs.readTextFile") && hasCapability(capabilities, "fs.writeTextFile");
}
