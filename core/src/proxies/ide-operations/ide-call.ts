import type { IdeOperations } from "../../ide-operations/ide-operations.js";
import { type OperationState, worstState } from "../../ide-operations/operation-state.js";
import type { IdeParams, IdeResult } from "../../ide-operations/operation-types.js";
import type { IdeOperationName } from "../../ide-operations/wire.js";
import type { WorkspaceEdit } from "../../ide-operations/workspace-edit.js";
import type { EditorFiles } from "../editor-files/editor-files.js";
import { Documents } from "./documents.js";
import { isOfTexts, writeInEditor } from "./edits/editor-writing.js";
import type { IdeOperationsServices } from "./services.js";
import type { WorkspacePaths } from "./workspace-paths.js";

export interface IdeCallParts {
  readonly ide: IdeOperations;
  readonly services: IdeOperationsServices;
  readonly paths: WorkspacePaths;
  readonly signal: AbortSignal;
  readonly editor?: EditorFiles;
}

/** One call of a tool: what it asks, the texts it reads, and how far its answers can be trusted together. */
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

  /** The worst state of the answers so far. */
  get state(): OperationState {
    return this.#state;
  }

  /** The same call, which another signal ends. */
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

  /** Makes an edit: through the editor where it can, so that the editor hears of it. The reason where it is not made. */
  async apply(edit: WorkspaceEdit, label: string): Promise<{ readonly isApplied: boolean; readonly refusal?: string }> {
    const { editor } = this.parts;
    if (!editor || !isOfTexts(edit)) return this.ask("applyEdit", { edit, label });
    const refusal = await writeInEditor(editor, edit, this);
    return refusal === undefined ? { isApplied: true } : { isApplied: false, refusal };
  }

  /** Asks about a file that may not be code: that nobody understands it casts no doubt on the other answers. */
  async askPerhaps<N extends IdeOperationName>(name: N, params: IdeParams<N>): Promise<IdeResult<N>> {
    const result = await this.#ide.run(name, params, this.signal);
    if (result.state.kind !== "degraded") this.#state = worstState([this.#state, result.state]);
    return result;
  }
}
