import {
  type IdeOperationHandlers,
  pathOfFileUri,
  type WorkspaceChange,
  type WorkspaceEdit,
} from "@symposium-dev/core";
import { checkPath, needsLeave } from "@symposium-dev/core/node";
import type { Workspace } from "./workspace.js";

/** A file before and after an edit; null where there is none. */
export interface EditedFile {
  readonly folder: string;
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Makes edits. Files outside of the workspace, and those with settings or secrets, are left alone. */
export function applyOperations(
  { folder, editor }: Workspace,
  edited: (file: EditedFile) => void,
): Required<Pick<IdeOperationHandlers, "applyEdit">> {
  return {
    async applyEdit({ edit }) {
      const state = { kind: "ready" } as const;
      const uris = urisOf(edit);
      const places = await Promise.all(uris.map(async (uri) => ({ uri, path: await ownPath(uri, folder) })));
      const foreign = places.find(({ path }) => path === undefined);
      if (foreign) return { state, isApplied: false, refusal: `${foreign.uri} is not for tools to edit.` };
      const before = await Promise.all(uris.map((uri) => editor.text(uri)));
      const isApplied = await editor.apply(edit);
      for (const [index, { uri, path }] of places.entries()) {
        const [old = null, after] = [before[index], await editor.text(uri)];
        if (path !== undefined && old !== after) edited({ folder, path, before: old, after });
      }
      return { state, isApplied, ...(isApplied ? {} : { refusal: "VS Code refused the edit." }) };
    },
  };
}

function urisOf({ changes }: WorkspaceEdit): string[] {
  return [...new Set(changes.flatMap(urisOfChange))];
}

function urisOfChange(change: WorkspaceChange): string[] {
  return change.kind === "rename" ? [change.from, change.to] : [change.uri];
}

/** The path, where it is one of the workspace that tools may edit. */
async function ownPath(uri: string, folder: string): Promise<string | undefined> {
  const path = pathOfFileUri(uri);
  if (path === undefined) return undefined;
  return needsLeave(await checkPath(path, folder, [folder]), "write") ? undefined : path;
}
