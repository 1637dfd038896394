import type { Attachment } from "../../../protocol/index.js";

/** What came of files that the user has picked, pasted or dropped: attachments, and sentences about the others. */
export interface ReadFiles {
  readonly attachments: readonly Attachment[];
  readonly problems: readonly string[];
}

/** Reads files one after the other. `imageRefusal` says why images are not taken, where they are not. */
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

/** What came of two lots of files, as if they had been one. */
export function together(first: ReadFiles | undefined, second: ReadFiles): ReadFiles {
  return {
    attachments: [...(first?.attachments ?? []), ...second.attachments],
    problems: [...new Set([...(first?.problems ?? []), ...second.problems])],
  };
}

/** The longest edge an image is sent with; models scale larger ones down themselves. */
const maxEdgePx = 2_048;
/** The most an image may weigh when it is sent, in bytes before base64; what agents' services accept. */
const maxImageBytes = 3_500_000;
/** Files above this are not even opened. */
const maxFileBytes = 50_000_000;
const maxTextBytes = 256_000;

const passedOn = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Makes an attachment of a file that was picked, pasted or dropped: an image, scaled down where it is huge, or a small
 * text. Rejects with a sentence for the user that names the file.
 */
async function toAttachment(file: File): Promise<Attachment> {
  if (file.size > maxFileBytes) {
    throw new Error(
      `${nameOf(file)} has ${inMegabytes(file.size)}; files up to ${inMegabytes(maxFileBytes)} can be attached.`,
    );
  }
  if (file.type.startsWith("image/")) return toImage(file);
  return toText(file);
}

async function toImage(file: File): Promise<Attachment> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined)
    throw new Error(`${nameOf(file)} is no image that can be read. Use PNG, JPEG, GIF or WebP.`);
  const isSmall = Math.max(bitmap.width, bitmap.height) <= maxEdgePx && file.size <= maxImageBytes;
  const blob = isSmall && passedOn.has(file.type) ? file : await scaled(bitmap, file.type);
  bitmap.close();
  return { type: "image", label: nameOf(file), mimeType: blob.type, data: await toBase64(blob) };
}

/** PNG keeps its letters sharp where it stays light enough; JPEG is the way out. */
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
      `${nameOf(file)} is too large to be attached as text. Save it in the workspace and name it with @.`,
    );
  }
  const text = await file.text();
  if (text.includes("\0")) throw new Error(`${nameOf(file)} is neither an image nor text.`);
  return { type: "text", label: nameOf(file), text };
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    });
    reader.addEventListener("error", () => reject(new Error("The file could not be read.")));
    reader.readAsDataURL(blob);
  });
}

function nameOf(file: File): string {
  return file.name === "" ? "Pasted image" : file.name;
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

const listTypes = ["application/vnd.code.uri-list", "text/uri-list"];

/** URIs of what was dragged from the explorer, an editor tab or a file browser; empty when there are none. */
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
