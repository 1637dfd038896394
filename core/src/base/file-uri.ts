/** The `file:` URI of an absolute path, of POSIX or of Windows (`C:\…`, `\\server\share`). */
export function fileUri(path: string): string {
  const isWindows = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path);
  const slashed = isWindows ? path.replaceAll("\\", "/") : path;
  const encoded = slashed.split("/").map(encodeSegment).join("/");
  if (slashed.startsWith("//")) return `file:${encoded}`;
  return slashed.startsWith("/") ? `file://${encoded}` : `file:///${encoded}`;
}

/** The absolute path that a `file:` URI names; undefined for any other URI. Never throws. */
export function pathOfFileUri(uri: string): string | undefined {
  const match = /^file:\/\/([^/]*)(\/.*)$/i.exec(uri);
  if (!match) return undefined;
  const [, host = "", rawPath = ""] = match;
  const path = decoded(rawPath.replace(/[?#].*$/, ""));
  if (path === undefined) return undefined;
  if (host !== "" && host !== "localhost") return `\\\\${host}${path.replaceAll("/", "\\")}`;
  return /^\/[A-Za-z]:/.test(path) ? windowsPath(path) : path;
}

/** The one spelling for all URIs of a file: editors and language servers differ in drives and in what they encode. */
export function normalFileUri(uri: string): string {
  const path = pathOfFileUri(uri);
  return path === undefined ? uri : fileUri(path);
}

function windowsPath(path: string): string {
  const drive = path.slice(1, 2).toUpperCase();
  return `${drive}${path.slice(2).replaceAll("/", "\\")}`;
}

/** Language servers differ in what they leave as it is; `:` is encoded in none but a drive. */
function encodeSegment(segment: string): string {
  return /^[A-Za-z]:$/.test(segment) ? segment : encodeURIComponent(segment);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
