import {
  type AgentCall,
  type AgentRequestHandler,
  asObject,
  type Logger,
  type Members,
  messageOf,
  type SessionListener,
  stringOf,
} from "@symposium-dev/core";
import type { Change, Transcript } from "../../protocol/index.js";

/** Capabilities for the content of transcripts. They are announced in `clientCapabilities` together with those of the abilities. */
export const ownCapabilities = {
  session: { compaction: {}, configOptions: { boolean: {} }, notices: {} },
  plan: {},
  subagents: {},
} as const;

export interface AbilitySession {
  readonly tabId: string;
  readonly sessionId: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** Absolute paths of the session's folders; the first is the working directory. */
  readonly roots: readonly string[];
  /** Absolute paths of all open folders, the session's folders first, since the agent's commands can change files in any of the folders. */
  readonly folders: readonly string[];
  readonly transcript: Transcript;
  publish(change: Change): void;
}

export interface AbilityCall {
  /** The request's `params`, which haven't been checked. */
  readonly params: unknown;
  /** Session of the request; undefined if the request doesn't name a known session. */
  readonly session: AbilitySession | undefined;
  /** Aborted when the agent cancels the request, the session ends or the agent exits. */
  readonly signal: AbortSignal;
}

/**
 * Feature of the editor for agents: announces itself in `clientCapabilities` and answers requests. A handler returns the JSON-RPC result;
 * an `RpcError` or `SymposiumError` that it throws becomes the error.
 */
export interface ClientAbility {
  /** Capabilities to merge into `clientCapabilities` of `initialize`, member by member. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Handlers of requests by ACP method. Requests without a handler are answered with error -32601. */
  readonly requests: Readonly<Record<string, (call: AbilityCall) => Promise<unknown>>>;
  /** Handlers of notifications by ACP method. */
  readonly notifications?: Readonly<Record<string, (call: AbilityCall) => void>>;
  sessionEnded?(sessionId: string): void;
}

export interface TabSession extends SessionListener {
  /** Returns a session as the editor's abilities see it. `childId` is the id of the sub-agent's session that sent the request. */
  ability(sessionId: string, childId?: string): AbilitySession;
}

export class AbilityTable {
  readonly capabilities: Members;
  readonly requests: Readonly<Record<string, AgentRequestHandler<TabSession>>>;

  constructor(
    private readonly abilities: readonly ClientAbility[],
    private readonly logger: Logger,
    /** Capabilities that require no ability, such as those for transcripts. */
    own: Members = {},
  ) {
    this.capabilities = abilities.map((ability) => ability.capabilities).reduce(merge, own);
    const handlers = abilities.flatMap(({ requests }) => Object.entries(requests));
    this.requests = Object.fromEntries(
      handlers.map(([method, handler]) => [method, (call) => handler(toAbility(call))]),
    );
  }

  /** Passes a notification to each ability that has a handler for it. Logs a notification without handlers. */
  notify(call: AgentCall<TabSession>): void {
    const { method } = call;
    const handlers = this.abilities.flatMap(({ notifications }) => notifications?.[method] ?? []);
    if (handlers.length === 0) this.logger.debug("ignored a notification from the agent", { method });
    for (const handler of handlers) {
      try {
        handler(toAbility(call));
      } catch (thrown) {
        this.logger.error("a notification from the agent failed", { method, reason: messageOf(thrown) });
      }
    }
  }

  sessionEnded(sessionId: string): void {
    for (const ability of this.abilities) ability.sessionEnded?.(sessionId);
  }
}

function toAbility({ params, session, signal }: AgentCall<TabSession>): AbilityCall {
  return { params, session: session?.listener.ability(session.id, stringOf(params?.["sessionId"])), signal };
}

function merge(left: Members, right: Members): Members {
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const [old, added] = [asObject(merged[key]), asObject(value)];
    merged[key] = old && added ? merge(old, added) : value;
  }
  return merged;
}
