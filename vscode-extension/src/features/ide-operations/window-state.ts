import {
  type IdeOperationHandlers,
  maxIdeItems,
  type OpenFile,
  pathOfFileUri,
  type Selection,
  normalFileUri,
} from "@symposium-dev/core";
import { checkPath } from "@symposium-dev/core/node";
import type { Workspace } from "./languages.js";

export interface WindowState {
  selection(): Selection | undefined;
  openFiles(): readonly OpenFile[];
}

type Names = "selection" | "openFiles" | "readDocument" | "status";
const maxSelectedChars = 200_000;
const ready = { kind: "ready" } as const;

export function windowOperations(
  { folder, editor, languages }: Workspace,
  window: WindowState,
): Required<Pick<IdeOperationHandlers, Names>> {
  return {
    selection() {
      const selection = window.selection();
      const shown = selection && { ...selection, text: selection.text.slice(0, maxSelectedChars) };
      return Promise.resolve({ state: ready, selection: shown ?? null });
    },
    openFiles() {
      return Promise.resolve({ state: ready, files: window.openFiles().slice(0, maxIdeItems) });
    },
    async readDocument({ uri }) {
      const path = pathOfFileUri(uri);
      const isOpen = window.openFiles().some((file) => file.uri === normalFileUri(uri));
      const isReadable = isOpen || (path !== undefined && (await checkPath(path, folder, [folder])).isInside);
      return { state: ready, text: isReadable ? await editor.text(uri) : null };
    },
    async status(_params, signal) {
      const samples = await editor.samples(folder);
      const servers = await Promise.all(
        samples.map(async (uri) => {
          const document = await editor.open(uri, signal);
          const { state } = await languages.readiness(document, signal);
          const names = editor.extensionsFor(document.languageId).map(({ name }) => name);
          return { name: `${document.languageId}: ${names.join(", ") || "no extension"}`, state, uri };
        }),
      );
      return { state: ready, servers };
    },
  };
}
