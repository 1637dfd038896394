import type { Attachment } from "../../protocol/index.js";
import type { InitializedAgent } from "./initialized-agent.js";
import type { WireObject } from "./wire.js";

/** Turns what the user attached to a prompt into ACP content blocks that the agent takes; read when it is sent. */
export type AttachmentContent = (
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
) => Promise<readonly WireObject[]>;

/** The content of a prompt: its text, then what is attached. */
export async function promptContent(
  text: string,
  attachments: readonly Attachment[],
  accepts: InitializedAgent["accepts"],
  toBlocks: AttachmentContent,
): Promise<WireObject[]> {
  const blocks = attachments.length === 0 ? [] : await toBlocks(attachments, accepts);
  return [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
}
