import type { FileNow } from "../hand-off-sections.js";
import { handOff, type HandOffBlock } from "../hand-off.js";
import { filesOf } from "../hand-off-sections.js";
import { pastConversation } from "../past-turns.js";
import type { PreviousSession } from "../previous-session.js";
import { filesNow, gitBranch } from "./file-facts.js";
import { conversationRecords } from "./named-session.js";

interface StoredHandOff {
  readonly folder: string;
  readonly id: string;
  /** Number of the last turn to include; default: all. */
  readonly until?: number | undefined;
  readonly hasLookUp: boolean;
}

/** Returns content blocks for another agent to continue a stored conversation, with the current state of its files. */
export async function readHandOff({ folder, id, until, hasLookUp }: StoredHandOff): Promise<readonly HandOffBlock[]> {
  const past = pastConversation(conversationRecords(folder, id, until));
  const files: ReadonlyMap<string, FileNow> = await filesNow(filesOf(past));
  const branch = past.header && (await gitBranch(past.header.cwd));
  return handOff(past, { id, files, branch, hasLookUp });
}

export function storedPreviousSession(folder: string, id: string, until?: number): PreviousSession {
  return { records: () => conversationRecords(folder, id, until), filesNow };
}
