import { announcedChild } from "../../base/acp/child-session.js";
import { acpMethods } from "../../base/acp/methods.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import { type Notification, Outcome } from "../../base/rpc/message.js";
import { nothingToCancel, type Peer } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { type CombinedOptions, type WatchedKind, watchedKindOf } from "./combined-options.js";
import type { OpenSession } from "./open-session.js";
import type { RunningChain } from "./running-chain.js";
import { sessionIdOf, updateKindOf } from "../../base/acp/session-message.js";

interface TowardClientOptions {
  readonly client: Peer;
  readonly merged: CombinedOptions;
  /** Whether all sessions are in one chain and use the agent's ids. */
  readonly isOnly: () => boolean;
  readonly sessionOf: (id: string) => OpenSession | undefined;
}

/**
 * Returns the peer that `chain` calls for messages toward the client. Records the agent's offers, adds Symposium's offers and translates
 * session ids. Drops messages about sessions that have left this chain or haven't arrived yet.
 */
export function towardClient(chain: RunningChain, { client, merged, isOnly, sessionOf }: TowardClientOptions): Peer {
  const inner = chain.withClientIds(client);

  function isForeign(params: Json | undefined): boolean {
    if (chain.isGone) return true;
    if (isOnly()) return false;
    const agentId = sessionIdOf(params);
    if (agentId === undefined) return false;
    if (chain.unclaimed.has(agentId)) return true;
    const owner = sessionOf(chain.sessions.get(agentId) ?? agentId);
    return owner?.isIn(chain, agentId) === false;
  }

  function offered(notification: Notification, kind: WatchedKind): void {
    const agentId = sessionIdOf(notification.params);
    if (agentId === undefined) return;
    const offers = chain.offersOf(agentId);
    const whole = merged.noted(notification, kind, offers, chain.choice);
    if (isForeign(notification.params)) return;
    inner.notify(whole);
    if (kind !== "current_mode_update") return;
    const mode = asObject(notification.params?.object?.["update"])?.["currentModeId"];
    const session = sessionOf(chain.sessions.get(agentId) ?? "");
    if (session && offers.setLegacy("mode", mode)) merged.emitOptions(session);
  }

  return {
    request: (request, reply) => {
      if (!isForeign(request.params)) return inner.request(request, reply);
      reply(Outcome.error(RpcError.cancelled()));
      return nothingToCancel;
    },
    notify: (notification) => {
      const isUpdate = notification.method === acpMethods.sessionUpdate;
      const updateKind = isUpdate ? updateKindOf(notification) : undefined;
      const kind = watchedKindOf(updateKind);
      if (updateKind === "subagent_update" && notification.params) {
        const child = announcedChild(notification.params);
        if (child !== undefined) chain.children.add(child);
      }
      if (kind) offered(notification, kind);
      else if (!isForeign(notification.params)) inner.notify(notification);
    },
  };
}
