import { applyChange, type Transcript } from "../../../protocol/index.js";
import { lacksEnd, latestPrompt } from "../../acp/interrupted-turn.js";
import { covers } from "./closed-tab-to-store.js";
import type { StoredConversations } from "./stored-conversations.js";

/** Returns the stored conversation of a session that has all of `own` and the end of its latest turn; undefined if none has. */
export async function endedConversation(
  own: Transcript,
  session: string,
  store: Pick<StoredConversations, "ofSession" | "transcript">,
): Promise<Transcript | undefined> {
  for (const { id } of await store.ofSession(session)) {
    const kept = await store.transcript(id, own.state);
    if (kept && !lacksEnd(kept) && covers(kept, own)) return kept;
  }
  return undefined;
}

/** Replaces all that follows the latest prompt in `own` with what follows it in `kept`. */
export function takeRestOfTurn(own: Transcript, kept: Transcript): void {
  for (const { id } of afterPrompt(own)) applyChange(own, { op: "remove", id });
  for (const item of afterPrompt(kept)) applyChange(own, { op: "put", item });
  for (const [id, terminal] of kept.terminals) own.terminals.set(id, terminal);
}

function afterPrompt(transcript: Transcript): Transcript["items"] {
  const { items, byId } = transcript;
  const prompt = latestPrompt(transcript);
  return items.slice(((prompt && byId.get(prompt.id)) ?? items.length) + 1);
}
