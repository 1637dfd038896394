import { TurnNotice } from "../../../base/acp/turn-notice.js";
import type { Logger } from "../../../base/logger.js";
import { messageOf } from "../../../base/symposium-error.js";
import { extensionName } from "../../../base/node/product-version.js";
import type { SandboxOffer } from "./sandbox-offer.js";

interface SandboxNoticeOptions {
  readonly agentOf: (sessionId: string) => string;
  /** Returns the hint for an agent, if any. Rejects if the agent is unknown. */
  readonly offerOf: (agent: string, sessionId: string) => Promise<SandboxOffer | undefined>;
  readonly logger: Logger;
}

/**
 * Tells the user once per agent, in one line, that the agent can run in a sandbox. The necessary check starts a program, so it runs after a
 * turn, and the hint appears after a later turn.
 */
export function sandboxNotice({ agentOf, offerOf, logger }: SandboxNoticeOptions): TurnNotice {
  const found = new Map<string, SandboxOffer | undefined>();
  const look = async (agent: string, session: string): Promise<void> => {
    try {
      found.set(agent, await offerOf(agent, session));
    } catch (error) {
      logger.debug("couldn't find out whether the agent could run in a sandbox", { agent, reason: messageOf(error) });
    }
  };
  return new TurnNotice({
    notice: "sandbox",
    // Don't show the hint in the extension, which shows its own card.
    tellers: [extensionName],
    textFor: (sessionId) => {
      const agent = agentOf(sessionId);
      const offer = found.get(agent);
      const isKnown = found.has(agent);
      found.set(agent, undefined);
      // Deliver the answer before starting the check.
      if (!isKnown) setImmediate(() => void look(agent, sessionId));
      if (offer?.claim() !== true) return undefined;
      return `${offer.name} could run in a sandbox. Use \`/symposium:guard\` to check or change its protection level. This is shown once.`;
    },
  });
}
