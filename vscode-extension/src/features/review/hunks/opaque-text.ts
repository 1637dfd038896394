import type { FileText } from "./file-review.js";

/** Placeholder for a binary file or a link: one line that can't occur in text, so that the review treats such a file as one change. */
type Opaque = { readonly kind: "file"; readonly hash: string } | { readonly kind: "link"; readonly target: string };

/** Returns the placeholder of a binary file. `hash` is the SHA-256 of the content in hex. */
export function opaqueFile(hash: string): string {
  return `\0file ${hash}`;
}

export function opaqueLink(target: string): string {
  return `\0link ${target}`;
}

/** Parses the placeholder of a binary file or link. Returns undefined for text and for missing files. */
export function parseOpaque(text: FileText | undefined): Opaque | undefined {
  const [, kind, rest = ""] = /^\0(file|link) (.*)$/s.exec(text ?? "") ?? [];
  if (kind === "link") return { kind, target: rest };
  return kind === "file" ? { kind, hash: rest } : undefined;
}

export const byteOrderMark = Uint8Array.of(0xef, 0xbb, 0xbf);

export function isMarked(bytes: Uint8Array): boolean {
  return byteOrderMark.every((byte, index) => bytes[index] === byte);
}

/** Decodes UTF-8 without the byte order mark, as VS Code does for documents. Returns undefined for binary content. */
export function decodedText(bytes: Uint8Array): string | undefined {
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
