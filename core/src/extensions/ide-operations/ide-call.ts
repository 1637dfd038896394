import { linkedSignal } from "../../base/linked-signal.js";
import { SymposiumError } from "../../base/symposium-error.js";
import type { IdeOperations } from "../../base/ide-operations/ide-operations.js";
import { type OperationState, worstState } from "../../base/ide-operations/operation-state.js";
import type { IdeParams, IdeResult } from "../../base/ide-operations/operation-types.js";
import type { IdeOperationName } from "../../base/ide-operations/wire.js";
import type { WorkspaceEdit } from "../../base/ide-operations/workspace-edit.js";
import type { EditorFiles } from "../editor-files/editor-files.js";
import { Documents } from "./documents.js";
import { isOfTexts, writeInEditor } from "./edits/editor-writing.js";
import type { IdeOperationsServices } from "./services.js";
import { WorkspacePaths } from "./workspace-paths.js";

export interface IdeSessionParts {
  readonly ide: IdeOperations;
  readonly services: IdeOperationsServices;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Applies text edits instead of `ide`. */
  readonly editor?: EditorFiles;
}

/** State shared by one session's tools. */
export class IdeSession {
  readonly edits = new PreparedEdits();
  readonly #paths: WorkspacePaths;
  /** Cursor of the last workspace diagnostics. */
  diagnosticsCursor: string | undefined;

  constructor(private readonly parts: IdeSessionParts) {
    this.#paths = new WorkspacePaths(parts.folder);
  }

  get supported(): IdeOperations["supported"] {
    return this.parts.ide.supported;
  }

  /** Runs a tool call, which is aborted when the session ends. */
  async call<T>(signal: AbortSignal, run: (call: IdeCall) => Promise<T>): Promise<T> {
    const { ide, services, editor } = this.parts;
    using linked = linkedSignal([signal, this.parts.signal]);
    return await run(
      new IdeCall({ ide, services, paths: this.#paths, signal: linked.signal, ...(editor && { editor }) }),
    );
  }
}

interface IdeCallParts extends Omit<IdeSessionParts, "folder"> {
  readonly paths: WorkspacePaths;
}

/** One tool call: its requests, the texts it reads and the worst state of its answers. */
export class IdeCall {
  readonly paths: WorkspacePaths;
  readonly services: IdeOperationsServices;
  readonly signal: AbortSignal;
  readonly documents: Documents;
  readonly #ide: IdeOperations;
  #state: OperationState = worstState([]);

  constructor(private readonly parts: IdeCallParts) {
    const { ide, services, paths, signal } = parts;
    this.#ide = ide;
    this.services = services;
    this.paths = paths;
    this.signal = signal;
    this.documents = new Documents(ide, services, signal);
  }

  get state(): OperationState {
    return this.#state;
  }

  /** Returns a call with the same parts and another abort signal. */
  until(signal: AbortSignal): IdeCall {
    return new IdeCall({ ...this.parts, signal });
  }

  can(name: IdeOperationName): boolean {
    return this.#ide.supported.has(name);
  }

  async ask<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    const result = await this.#ide.run(name, params, this.signal);
    this.#state = worstState([this.#state, result.state]);
    return result;
  }

  /**
   * Applies an edit, through the editor's files if possible so that the editor can show it. `refusal` is the reason if it isn't applied.
   */
  async apply(edit: WorkspaceEdit, label: string): Promise<{ readonly isApplied: boolean; readonly refusal?: string }> {
    const { editor } = this.parts;
    if (!editor || !isOfTexts(edit)) return this.ask("applyEdit", { edit, label });
    const refusal = await writeInEditor(editor, edit, this);
    return refusal === undefined ? { isApplied: true } : { isApplied: false, refusal };
  }

  /** Queries a file that may not be code. An unsupported file doesn't degrade the state of the call. */
  async askPerhaps<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    const result = await this.#ide.run(name, params, this.signal);
    if (result.state.kind !== "degraded") this.#state = worstState([this.#state, result.state]);
    return result;
  }
}

/** An edit that was shown but not applied. */
export interface PreparedEdit {
  readonly edit: WorkspaceEdit;
  readonly label: string;
  /** The original texts by URI. */
  readonly texts: ReadonlyMap<string, string>;
}

const maxKept = 20;

/** Previewed edits of a session by name. Each can be applied once. */
class PreparedEdits {
  readonly #edits = new Map<string, PreparedEdit>();
  #last = 0;

  /** Stores an edit and returns its name. Drops the oldest edit if there are too many. */
  keep(edit: PreparedEdit): string {
    const name = `edit-${++this.#last}`;
    this.#edits.set(name, edit);
    const [oldest] = this.#edits.keys();
    if (this.#edits.size > maxKept && oldest !== undefined) this.#edits.delete(oldest);
    return name;
  }

  /** Throws `invalid-arguments` if there is no edit with this name. */
  get(name: string): PreparedEdit {
    const edit = this.#edits.get(name);
    if (edit) return edit;
    const known = [...this.#edits.keys()].join(", ");
    throw new SymposiumError(
      "invalid-arguments",
      `edit: "${name}" isn't a pending edit.`,
      known === "" ? "Preview an edit first, with rename, code_action or format." : `Waiting: ${known}.`,
    );
  }

  forget(name: string): void {
    this.#edits.delete(name);
  }
}
