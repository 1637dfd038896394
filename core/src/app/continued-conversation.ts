import { stringOf } from "../base/rpc/json.js";
import { invalidArguments } from "../base/symposium-error.js";
import type { Continuing } from "../conductor/choices/chain-selection.js";
import type { ContextSource, Contribution } from "../context/contribution.js";
import { type Continued, continuedIn, withContinued } from "../sessions/conversations/continued-session.js";
import { isOwnCommand } from "../sessions/conversations/hand-off-text.js";
import { handOffStart } from "../sessions/conversations/stored-record.js";
import { plainText } from "../agents/registry/registry-entry.js";
import type { Json } from "../base/rpc/json.js";
import { type RecordedConversations, sessionsFolder } from "./recorded-conversations.js";
import { productVersion } from "../base/node/product-version.js";

/**
 * Context for a session that continues another conversation (`_meta.symposium.continues`): a document with the first prompt, and the MCP
 * server `previous_session`.
 */
export function continuedConversation(conversations: RecordedConversations): ContextSource {
  return {
    name: "previous-session",
    async open({ meta, isNew, cwd }): Promise<Contribution> {
      const continued = isNew ? continuedIn({ _meta: meta }) : undefined;
      return continued ? contributionOf(continued, cwd, conversations) : {};
    },
  };
}

/** Returns the `opening` of a `session/new` that continues a conversation; see `ChainsOptions.continuing`. */
export async function continuing(
  conversations: RecordedConversations,
  opening: Json,
  { session, agent, isFresh, named }: Parameters<Continuing>[1],
): ReturnType<Continuing> {
  const [{ listSessions }, { namedSession, shortId }] = await Promise.all([
    import("../sessions/conversations/node/session-index.js"),
    import("../sessions/conversations/node/named-session.js"),
  ]);
  await conversations.settled();
  const all = await listSessions(sessionsFolder());
  const word = isFresh ? named : session;
  const cwd = opening.object?.["cwd"];
  // Skips conversations without agent turns, such as the current session.
  const found =
    word === undefined
      ? all.find((one) => one.cwd === cwd && one.turns > 0 && !isOwnCommand(one.title))
      : namedSession(all, word, { agent, cwd: stringOf(cwd) });
  if (found) {
    const { id: conversation, turns: turn, title } = found;
    const done = (): void => {
      if (isFresh) conversations.noteContinued(session, { conversation, turn }, title);
    };
    return { opening: withContinued(opening, { conversation }), done };
  }
  const ids = all
    .filter((one) => one.cwd === cwd)
    .map(({ id, title }) => `\`${shortId(id)}\` (${plainText(title, 60)})`);
  const known =
    ids.length === 0
      ? "This folder has no conversations."
      : `Conversations in this folder: ${ids.slice(0, 5).join(", ")}.`;
  if (!isFresh) throw invalidArguments("This conversation isn't stored.", keepHint);
  throw invalidArguments(`There is no conversation ${named === undefined ? "" : `"${named}"`}`.trim() + ".", known);
}

const keepHint = 'Check `"conversations"` in config.jsonc, or start a new conversation with the other agent.';

async function contributionOf(
  { conversation, agent, turn }: Continued,
  cwd: string,
  conversations: RecordedConversations,
): Promise<Contribution> {
  const [{ listSessions }, { namedSession }, { readHandOff, storedPreviousSession }, { previousSessionServer }] =
    await Promise.all([
      import("../sessions/conversations/node/session-index.js"),
      import("../sessions/conversations/node/named-session.js"),
      import("../sessions/conversations/node/read-hand-off.js"),
      import("../sessions/conversations/previous-session.js"),
    ]);
  // The conversation may belong to this process and have unsaved messages.
  await conversations.settled();
  const folder = sessionsFolder();
  const found = namedSession(await listSessions(folder), conversation, { agent, cwd });
  if (!found) throw invalidArguments(`There is no conversation "${conversation}".`);
  const { id } = found;
  const until = Math.min(turn ?? Infinity, found.turns);
  const uri = `${handOffStart}${encodeURIComponent(id)}.md`;
  const read = async (): Promise<string> => {
    const blocks = await readHandOff({ folder, id, until, hasLookUp: true });
    return blocks.map(({ resource }) => resource.text).join("\n\n");
  };
  return {
    servers: [previousSessionServer(storedPreviousSession(folder, id, until), productVersion)],
    firstPrompt: [{ title: "the conversation before", uri, read }],
  };
}
