import { SymposiumError } from "../base/symposium-error.js";
import type { ContextSource, Contribution } from "../context/contribution.js";
import { type Continued, continuedIn } from "../conversations/continued-session.js";
import { type RecordedConversations, sessionsFolder } from "./recorded-conversations.js";
import { productVersion } from "./product-version.js";

/**
 * What a session gets that goes on with a conversation of another one (`_meta.symposium.continues`): the document with its
 * first prompt, and the MCP server `previous_session`.
 */
export function continuedConversation(conversations: RecordedConversations): ContextSource {
  return {
    name: "previous-session",
    async open({ meta, isNew }): Promise<Contribution> {
      const continued = isNew ? continuedIn({ _meta: meta }) : undefined;
      return continued ? contributionOf(continued, conversations) : {};
    },
  };
}

/** Read with code that is loaded with the first session of the kind. */
async function contributionOf(
  { conversation, turn }: Continued,
  conversations: RecordedConversations,
): Promise<Contribution> {
  const [{ listSessions }, { namedSession }, { readHandOff, storedPreviousSession }, { previousSessionServer }] =
    await Promise.all([
      import("../conversations/node/session-index.js"),
      import("../conversations/node/named-session.js"),
      import("../conversations/node/read-hand-off.js"),
      import("../conversations/previous-session.js"),
    ]);
  // The conversation may be one of this process that has just been spoken in.
  await conversations.settled();
  const folder = sessionsFolder();
  const found = namedSession(await listSessions(folder), conversation);
  if (!found) throw new SymposiumError("invalid-arguments", `There is no conversation "${conversation}".`);
  const { id } = found;
  const until = Math.min(turn ?? Infinity, found.turns);
  const uri = `symposium://handoff/${encodeURIComponent(id)}.md`;
  const read = async (): Promise<string> => {
    const blocks = await readHandOff({ folder, id, until, hasLookUp: true });
    return blocks.map(({ resource }) => resource.text).join("\n\n");
  };
  return {
    servers: [previousSessionServer(storedPreviousSession(folder, id, until), productVersion)],
    firstPrompt: [{ title: "the conversation before", uri, read }],
  };
}
