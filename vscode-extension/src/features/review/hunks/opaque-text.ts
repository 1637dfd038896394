import type { FileText } from "./file-review.js";

/**
 * What stands for the content of a file that is no text, and for a link: one line that no text can be, so that such a
 * file is kept or undone as a whole.
 */
type Opaque = { readonly kind: "file"; readonly hash: string } | { readonly kind: "link"; readonly target: string };

/** `hash` is the SHA-256 of the content, in hex. */
export function opaqueFile(hash: string): string {
  return `\0file ${hash}`;
}

export function opaqueLink(target: string): string {
  return `\0link ${target}`;
}

/** Undefined for a text, and where there is no file. */
export function parseOpaque(text: FileText | undefined): Opaque | undefined {
  const [, kind, rest = ""] = /^\0(file|link) (.*)$/s.exec(text ?? "") ?? [];
  if (kind === "link") return { kind, target: rest };
  return kind === "file" ? { kind, hash: rest } : undefined;
}

/** In UTF-8. */
export const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);

export function isMarked(bytes: Uint8Array): boolean {
  return byteOrderMark.every((byte, index) => bytes[index] === byte);
}

/** Without the byte order mark, as documents have their text. Undefined where it is no text. */
export function decodedText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
