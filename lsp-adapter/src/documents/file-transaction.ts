import { rm } from "node:fs/promises";
import { comparePositions, messageOf, type TextEdit } from "@symposium-dev/core";
import { atomicWrite, loadUntrustedBytes, projectFileMode } from "@symposium-dev/core/node";
import { TextDocument } from "vscode-languageserver-textdocument";

/** File that a transaction writes. A text of null stands for a file that doesn't exist. */
export interface PlannedFile {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Writes several files, each atomically. If one fails, restores the earlier ones. */
export class FileTransaction {
  constructor(private readonly files: readonly PlannedFile[]) {}

  /** Resolves with undefined on success, else with the reason why nothing changed. */
  async run(): Promise<string | undefined> {
    for (const { path, before } of this.files) {
      if ((await textOf(path)) !== before) return `${path} has changed. Request the edit again.`;
    }
    const done: PlannedFile[] = [];
    for (const file of this.files) {
      try {
        // Record the file first, since a write can fail after the file is in place.
        done.push(file);
        await put(file.path, file.after);
      } catch (error) {
        const lost = await this.#undo(done);
        const rest =
          lost.length === 0 ? "Nothing was changed." : `These files couldn't be restored: ${lost.join(", ")}.`;
        return `${file.path} could not be written (${messageOf(error)}). ${rest}`;
      }
    }
    return undefined;
  }

  async #undo(done: readonly PlannedFile[]): Promise<readonly string[]> {
    const lost: string[] = [];
    for (const { path, before } of [...done].reverse()) {
      try {
        if ((await textOf(path)) !== before) await put(path, before);
      } catch {
        lost.push(path);
      }
    }
    return lost;
  }
}

function put(path: string, text: string | null): Promise<void> {
  return text === null ? rm(path, { force: true }) : atomicWrite(path, text, { newFileMode: projectFileMode });
}

async function textOf(path: string): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await loadUntrustedBytes(path));
  } catch {
    return null;
  }
}

/** Applies all `edits`; undefined if they overlap or are outside the text. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string | undefined {
  const document = TextDocument.create("text:", "plaintext", 0, text);
  const sorted = [...edits].sort((a, b) => comparePositions(a.range.start, b.range.start));
  const doOverlap = sorted.some((edit, index) => {
    const next = sorted[index + 1];
    return (
      comparePositions(edit.range.end, edit.range.start) < 0 ||
      (next && comparePositions(next.range.start, edit.range.end) < 0)
    );
  });
  // The end may be one line after the last: servers that replace a whole text send such ranges.
  const isOutside = sorted.some(({ range }) => range.start.line > document.lineCount);
  return doOverlap || isOutside ? undefined : TextDocument.applyEdits(document, sorted);
}
