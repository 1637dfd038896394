import { fileUri, pathOfFileUri, normalFileUri } from "../../base/file-uri.js";

/** The session's folder: paths as they are shown and given, and URIs as they are asked for. */
export class WorkspacePaths {
  readonly uri: string;
  readonly #prefix: string;

  /** `folder` is absolute. */
  constructor(readonly folder: string) {
    this.uri = fileUri(withoutEndSlash(folder));
    this.#prefix = `${withoutEndSlash(folder).replaceAll("\\", "/")}/`;
  }

  /** The URI of a path that starts from the folder where it is relative. */
  uriOf(path: string): string {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return normalFileUri(path);
    const isAbsolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
    return fileUri(isAbsolute ? path : this.#prefix + resolved(path));
  }

  /** Whether a URI is that of a file in the folder, by its path: where links lead is not looked at. */
  contains(uri: string): boolean {
    const path = pathOfFileUri(uri)?.replaceAll("\\", "/");
    return path?.startsWith(this.#prefix) === true && !path.split("/").includes("..");
  }

  /** For people: relative to the folder, else absolute; URIs of other schemes as they are. */
  shown(uri: string): string {
    const path = pathOfFileUri(uri)?.replaceAll("\\", "/");
    if (path === undefined) return uri;
    return path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : path;
  }
}

function withoutEndSlash(folder: string): string {
  return folder.length > 1 ? folder.replace(/[\\/]+$/, "") : folder;
}

/** Without `.` and `..`; what would leave the folder keeps its `..`. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[\\/]/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
