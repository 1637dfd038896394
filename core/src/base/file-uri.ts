import { attempt } from "./attempt.js";
/** Converts an absolute POSIX or Windows path (`C:\…`, `\\server\share`) to a `file:` URI. */
export function fileUri(path: string): string {
  const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
  const slashed = isWindows ? path.replaceAll("\\", "/") : path;
  const encoded = slashed.split("/").map(encodeSegment).join("/");
  if (slashed.startsWith("//")) return `file:${encoded}`;
  return slashed.startsWith("/") ? `file://${encoded}` : `file:///${encoded}`;
}

/** Returns the absolute path of a `file:` URI. Undefined for other URIs; never throws. */
export function pathOfFileUri(uri: string): string | undefined {
  const match = /^file:\/\/([^/]*)(\/.*)$/i.exec(uri);
  if (!match) return undefined;
  const [, host = "", rawPath = ""] = match;
  const path = decoded(rawPath.replace(/[?#].*$/, ""));
  if (path === undefined) return undefined;
  if (host !== "" && host !== "localhost") return `\\\\${host}${path.replaceAll("/", "\\")}`;
  return /^\/[A-Za-z]:/.test(path) ? windowsPath(path) : path;
}

/** Normalizes the URI of a file, because editors and language servers differ in drive letters and encoding. */
export function normalFileUri(uri: string): string {
  const path = pathOfFileUri(uri);
  return path === undefined ? uri : fileUri(path);
}

function windowsPath(path: string): string {
  const drive = path.slice(1, 2).toUpperCase();
  return `${drive}${path.slice(2).replaceAll("/", "\\")}`;
}

/** Language servers differ in the characters that they encode; only a drive's `:` stays unencoded. */
function encodeSegment(segment: string): string {
  return /^[A-Za-z]:$/.test(segment) ? segment : encodeURIComponent(segment);
}

function decoded(text: string): string | undefined {
  return attempt(() => decodeURIComponent(text));
}
