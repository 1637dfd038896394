import { acpMethods } from "../base/acp/methods.js";
import type { ProxyChain } from "../conductor/chain/proxy.js";
import { Notification } from "../base/rpc/message.js";
import type { Peer } from "../base/rpc/peer.js";
import { askUser } from "../settings/trust/question.js";
import { amountText, type Budget, spanText } from "./budget.js";
import type { BudgetUse } from "./budget-use.js";

/** Asks the user whether a session may continue after exhausting a budget. If the user agrees, extends the budget by the same amount. */
export async function mayGoOn(
  chain: ProxyChain,
  session: BudgetUse,
  budget: Budget,
  signal: AbortSignal,
): Promise<boolean> {
  if (reported(chain.client, session, budget)) return false;
  const more = amountText(budget, budget.limit);
  const answer = await askUser(
    { client: chain.client, sessionId: session.id, signal },
    {
      title: `Allow another ${more}?`,
      text: reachedText(session, budget),
      options: {
        more: { name: `Allow another ${more}`, kind: "allow_once" },
        stop: { name: "Stop here", kind: "reject_once" },
      },
      isForUserAlone: true,
      whenNotAllowed: "Stopped here. Raise the limit in guard.jsonc, or send a prompt to be asked again.",
    },
  );
  if (answer !== "more") return false;
  session.grant(budget);
  return true;
}

/** Reports an exhausted budget if nobody can be asked. Returns whether that is so. */
export function reported(client: Peer, session: BudgetUse, budget: Budget): boolean {
  if (!session.onUsedUp) return false;
  notice(client, session.id, reachedText(session, budget));
  session.onUsedUp({ ...budget, limit: session.limitOf(budget), used: session.usedText(budget) });
  return true;
}

function reachedText(session: BudgetUse, budget: Budget): string {
  const limit = amountText(budget, session.limitOf(budget));
  return `The limit of ${limit} ${spanText(budget)} is reached (${budget.place}). Used: ${session.usedText(budget)}.`;
}

/** Shows a notice as a completed tool call, which every editor displays. */
export function notice(client: Peer, sessionId: string, title: string): void {
  const toolCallId = `symposium-budget-${crypto.randomUUID()}`;
  const update = { sessionUpdate: "tool_call", toolCallId, title, kind: "other", status: "completed" };
  client.notify(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
}
