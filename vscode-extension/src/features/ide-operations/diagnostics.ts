import { type FileDiagnostics, type IdeOperationHandlers, maxIdeItems, pathOfFileUri } from "@symposium-dev/core";
import type { EditorDocument } from "./editor.js";
import { isInside } from "@symposium-dev/core/node";
import type { DiagnosticsBoard } from "./diagnostics-board.js";
import { normalUri, toUri } from "./places.js";
import type { Workspace } from "./languages.js";

const maxOfFile = 500;

/** Errors and warnings: of one file, or of the workspace as far as VS Code knows it. */
export function diagnosticsOperations(
  { folder, editor, languages }: Workspace,
  board: DiagnosticsBoard,
): Required<Pick<IdeOperationHandlers, "diagnostics">> {
  const isOfWorkspace = (uri: string): boolean => {
    const path = pathOfFileUri(uri);
    return path !== undefined && isInside(path, folder);
  };

  const opened = async (uri: string, signal: AbortSignal): Promise<EditorDocument | undefined> => {
    try {
      return await editor.open(uri, signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      if ((await editor.text(uri)) === null) board.forget(uri);
      return undefined;
    }
  };

  /** Nobody will speak of a document whose language nobody serves. */
  const look = async (document: EditorDocument, isNew: boolean, signal: AbortSignal): Promise<void> => {
    const { state } = await languages.readiness(document, signal);
    if (state.kind === "degraded") board.expectNothing(toUri(document.uri));
    else await board.check(document, isNew);
  };

  return {
    async diagnostics({ uri, since }, signal) {
      const asked = uri === undefined ? board.touched.filter(isOfWorkspace) : [normalUri(uri)];
      const documents =
        uri === undefined
          ? (await Promise.all(asked.map((one) => opened(one, signal)))).filter((document) => document !== undefined)
          : [await editor.open(uri, signal)];
      const state = await languages.folderState(documents, signal);
      await Promise.all(documents.map((document) => look(document, uri !== undefined, signal)));
      const known = uri === undefined ? [...new Set([...board.files.filter(isOfWorkspace), ...asked])] : asked;
      const pending = known.filter((one) => board.isPending(one));
      const files = known
        .filter((one) => !pending.includes(one) && (since === undefined || board.hasChanged(one, since)))
        .sort()
        .map((one): FileDiagnostics => ({ uri: one, diagnostics: board.of(one).slice(0, maxOfFile) }))
        // A clean file is worth a word where it was asked about, or has become so.
        .filter(({ diagnostics }) => diagnostics.length > 0 || uri !== undefined || since !== undefined);
      return { state, files: files.slice(0, maxIdeItems), pending, cursor: board.cursor };
    },
  };
}
