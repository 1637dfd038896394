import type { Attachment } from "../../../protocol/index.js";
import { toAttachment } from "./image-file.js";

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
