import { pathOfFileUri, type WorkspaceEdit } from "@symposium-dev/core";
import { checkPath } from "@symposium-dev/core/node";

/** A file that an edit must not change. */
interface RefusedFile {
  /** Path, or the URI if it doesn't name a file. */
  readonly path: string;
  /** Reason, for a sentence about the file: "it …". */
  readonly why: string;
}

const isElsewhere = "isn't a file in the workspace";

/** Returns the first file of an edit that is outside `folder`, contains secrets or makes tools run programs. Resolves links. */
export async function refusedFile({ changes }: WorkspaceEdit, folder: string): Promise<RefusedFile | undefined> {
  const uris = changes.flatMap((change) => (change.kind === "rename" ? [change.from, change.to] : [change.uri]));
  for (const uri of new Set(uris)) {
    const path = pathOfFileUri(uri);
    if (path === undefined) return { path: uri, why: isElsewhere };
    const { isInside, sensitive } = await checkPath(path, folder, [folder]);
    if (sensitive) return { path, why: sensitive.why };
    if (!isInside) return { path, why: isElsewhere };
  }
  return undefined;
}
