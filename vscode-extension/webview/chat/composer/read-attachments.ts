import * as l10n from "@vscode/l10n";
import type { Attachment } from "../../../protocol/index.js";

/** Result of reading picked, pasted or dropped files: attachments, and a sentence for each rejected file. */
export interface ReadFiles {
  readonly attachments: readonly Attachment[];
  readonly problems: readonly string[];
}

/** Reads files in order. `imageRefusal` is the reason if images aren't accepted. */
export async function readFiles(files: readonly File[], imageRefusal: string | undefined): Promise<ReadFiles> {
  const attachments: Attachment[] = [];
  const problems = new Set<string>();
  for (const file of files) {
    if (imageRefusal !== undefined && file.type.startsWith("image/")) problems.add(imageRefusal);
    else {
      try {
        attachments.push(await toAttachment(file));
      } catch (error) {
        problems.add(error instanceof Error ? error.message : String(error));
      }
    }
  }
  return { attachments, problems: [...problems] };
}

export function together(first: ReadFiles | undefined, second: ReadFiles): ReadFiles {
  return {
    attachments: [...(first?.attachments ?? []), ...second.attachments],
    problems: [...new Set([...(first?.problems ?? []), ...second.problems])],
  };
}

/** Maximum edge length in pixels of a sent image. Models scale larger images down themselves. */
const maxEdgePx = 2_048;
/** Maximum size of a sent image in bytes before base64, as accepted by agents' services. */
const maxImageBytes = 3_500_000;
/** Maximum size of a file in bytes. Larger files aren't read. */
const maxFileBytes = 50_000_000;
const maxTextBytes = 256_000;

const passedOn = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Converts a file to an attachment: an image, scaled down if huge, or a small text. Rejects with a sentence for the user that names the
 * file.
 */
async function toAttachment(file: File): Promise<Attachment> {
  if (file.size > maxFileBytes) {
    throw new Error(
      l10n.t(
        "{0} is {1}; the limit for attachments is {2}.",
        nameOf(file),
        inMegabytes(file.size),
        inMegabytes(maxFileBytes),
      ),
    );
  }
  if (file.type.startsWith("image/")) return toImage(file);
  return toText(file);
}

async function toImage(file: File): Promise<Attachment> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined)
    throw new Error(l10n.t("{0} can't be read as an image. Use PNG, JPEG, GIF or WebP.", nameOf(file)));
  const isSmall = Math.max(bitmap.width, bitmap.height) <= maxEdgePx && file.size <= maxImageBytes;
  const blob = isSmall && passedOn.has(file.type) ? file : await scaled(bitmap, file.type);
  bitmap.close();
  return { type: "image", label: nameOf(file), mimeType: blob.type, data: await toBase64(blob) };
}

/** Prefers PNG, which preserves sharp text, and falls back to JPEG if the PNG is too large. */
async function scaled(bitmap: ImageBitmap, type: string): Promise<Blob> {
  const scale = Math.min(1, maxEdgePx / Math.max(bitmap.width, bitmap.height));
  const canvas = new OffscreenCanvas(
    Math.max(1, Math.round(bitmap.width * scale)),
    Math.max(1, Math.round(bitmap.height * scale)),
  );
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  if (type !== "image/jpeg") {
    const png = await canvas.convertToBlob({ type: "image/png" });
    if (png.size <= maxImageBytes) return png;
  }
  return canvas.convertToBlob({ type: "image/jpeg", quality: 0.85 });
}

async function toText(file: File): Promise<Attachment> {
  if (file.size > maxTextBytes) {
    throw new Error(
      l10n.t("{0} is too large to attach as text. Save it in the workspace and mention it with @.", nameOf(file)),
    );
  }
  const text = await file.text();
  if (text.includes("\0")) throw new Error(l10n.t("{0} is neither an image nor text.", nameOf(file)));
  return { type: "text", label: nameOf(file), text };
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(new Error(l10n.t("The file could not be read."))));
    reader.readAsDataURL(blob);
  });
}

function nameOf(file: File): string {
  return file.name === "" ? l10n.t("Pasted image") : file.name;
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

const listTypes = ["application/vnd.code.uri-list", "text/uri-list"];

/** Returns the URIs dragged from the explorer, an editor tab or a file browser; empty if there are none. */
export function droppedUris(data: Pick<DataTransfer, "getData">): string[] {
  for (const type of listTypes) {
    const uris = data
      .getData(type)
      .split(/\r?\n/u)
      .map((line) => line.trim())
      .filter((line) => /^[a-z][a-z0-9+.-]*:/iu.test(line));
    if (uris.length > 0) return [...new Set(uris)];
  }
  return [];
}
