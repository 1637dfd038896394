import { fileUri, pathOfFileUri, normalFileUri } from "../../base/file-uri.js";

/** Converts between a session's displayed paths and the URIs of requests. */
export class WorkspacePaths {
  readonly uri: string;
  readonly #prefix: string;

  /** `folder` is absolute. */
  constructor(readonly folder: string) {
    this.uri = fileUri(withoutEndSlash(folder));
    this.#prefix = `${withoutEndSlash(folder).replaceAll("\\", "/")}/`;
  }

  /** Returns the URI of a path. Relative paths start at the folder. */
  uriOf(path: string): string {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(path)) return normalFileUri(path);
    const isAbsolute = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
    return fileUri(isAbsolute ? path : this.#prefix + resolved(path));
  }

  /** Whether a URI is a file in the folder, judged by its path without following links. */
  contains(uri: string): boolean {
    const path = pathOfFileUri(uri)?.replaceAll("\\", "/");
    return path?.startsWith(this.#prefix) === true && !path.split("/").includes("..");
  }

  /** Returns the displayed path: relative to the folder, else absolute. Other URIs stay unmodified. */
  shown(uri: string): string {
    const path = pathOfFileUri(uri)?.replaceAll("\\", "/");
    if (path === undefined) return uri;
    return path.startsWith(this.#prefix) ? path.slice(this.#prefix.length) : path;
  }
}

function withoutEndSlash(folder: string): string {
  return folder.length > 1 ? folder.replace(/[\\/]+$/, "") : folder;
}

/** Resolves `.` and `..`, but retains `..` segments that leave the folder. */
function resolved(path: string): string {
  const parts: string[] = [];
  for (const part of path.split(/[\\/]/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
