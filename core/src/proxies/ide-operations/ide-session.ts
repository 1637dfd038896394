import type { IdeOperations } from "../../ide-operations/ide-operations.js";
import { linkedSignal } from "../../base/linked-signal.js";
import type { EditorFiles } from "../editor-files/editor-files.js";
import { PreparedEdits } from "./edits/prepared-edits.js";
import { IdeCall } from "./ide-call.js";
import type { IdeOperationsServices } from "./services.js";
import { WorkspacePaths } from "./workspace-paths.js";

export interface IdeSessionParts {
  readonly ide: IdeOperations;
  readonly services: IdeOperationsServices;
  /** Absolute path of the session's folder. */
  readonly folder: string;
  /** Aborted when the session ends. */
  readonly signal: AbortSignal;
  /** Where edits of texts are made, in place of `ide`. */
  readonly editor?: EditorFiles;
}

/** What the tools of one session share. */
export class IdeSession {
  readonly edits = new PreparedEdits();
  readonly #paths: WorkspacePaths;
  /** Of the last answer about diagnostics of the whole workspace. */
  diagnosticsCursor: string | undefined;

  constructor(private readonly parts: IdeSessionParts) {
    this.#paths = new WorkspacePaths(parts.folder);
  }

  get supported(): IdeOperations["supported"] {
    return this.parts.ide.supported;
  }

  /** Runs one call of a tool, which ends with the session too. */
  async call<T>(signal: AbortSignal, run: (call: IdeCall) => Promise<T>): Promise<T> {
    const { ide, services, editor } = this.parts;
    const linked = linkedSignal([signal, this.parts.signal]);
    try {
      return await run(
        new IdeCall({ ide, services, paths: this.#paths, signal: linked.signal, ...(editor && { editor }) }),
      );
    } finally {
      linked.release();
    }
  }
}
