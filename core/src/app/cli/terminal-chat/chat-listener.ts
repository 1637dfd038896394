import type { PromptResponse, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { Members } from "../../../base/rpc/json.js";
import type { Unchecked } from "../../../conductor/client/unchecked.js";
import type { Decided } from "./permission-desk.js";

/** Observer of a chat. Receives raw messages from the agent. */
export interface ChatListener {
  opened(sessionId: string, cwd: string, agent: Members): void;
  /** `childId` is the sub-agent's session if a sub-agent sent the update. Updates may arrive before {@link opened}. */
  update(update: Unchecked<SessionUpdate>, childId?: string): void;
  decided(decided: Decided): void;
  turnEnded(result: Unchecked<PromptResponse>): void;
  /** `text` is the error that the user sees. */
  failed(text: string): void;
}
