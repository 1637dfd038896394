import { handOff, type HandOffBlock } from "../hand-off.js";
import { filesOf } from "../hand-off-sections.js";
import { pastConversation } from "../past-turns.js";
import { filesNow, gitBranch } from "./file-facts.js";
import { recordsOf } from "./stored-lines.js";

interface StoredHandOff {
  /** The conversation's, in the folder. */
  readonly id: string;
  readonly file: string;
  /** The last turn that counts; all when absent. */
  readonly until?: number | undefined;
  /** Whether the agent has the MCP server `previous_session`. */
  readonly hasLookUp: boolean;
}

/** The content blocks by which another agent goes on with a stored conversation, with its files as they are now. */
export async function readHandOff({ id, file, until, hasLookUp }: StoredHandOff): Promise<readonly HandOffBlock[]> {
  const past = pastConversation(recordsOf(file), until);
  const files = await filesNow(filesOf(past));
  const branch = past.header && (await gitBranch(past.header.cwd));
  return handOff(past, { id, files, branch, hasLookUp });
}
