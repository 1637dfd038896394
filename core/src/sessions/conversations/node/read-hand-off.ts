import type { FileNow } from "../hand-off-sections.js";
import { handOff, type HandOffBlock } from "../hand-off.js";
import { filesOf } from "../hand-off-sections.js";
import { pastConversation } from "../past-turns.js";
import type { PreviousSession } from "../previous-session.js";
import { filesNow, gitBranch } from "./file-facts.js";
import { conversationRecords } from "./named-session.js";

interface StoredHandOff {
  readonly folder: string;
  /** The conversation's. */
  readonly id: string;
  /** The last turn that counts; all when absent. */
  readonly until?: number | undefined;
  /** Whether the agent has the MCP server `previous_session`. */
  readonly hasLookUp: boolean;
}

/** The content blocks by which another agent goes on with a stored conversation, with its files as they are now. */
export async function readHandOff({ folder, id, until, hasLookUp }: StoredHandOff): Promise<readonly HandOffBlock[]> {
  const past = pastConversation(conversationRecords(folder, id, until));
  const files: ReadonlyMap<string, FileNow> = await filesNow(filesOf(past));
  const branch = past.header && (await gitBranch(past.header.cwd));
  return handOff(past, { id, files, branch, hasLookUp });
}

/** A stored conversation, to be looked things up in. */
export function storedPreviousSession(folder: string, id: string, until?: number): PreviousSession {
  return { records: () => conversationRecords(folder, id, until), filesNow };
}
