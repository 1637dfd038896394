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

/** Capabilities of the transcript itself, announced in `clientCapabilities` with those of the abilities. */
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
  /** Absolute paths of all open folders, roots first, since the agent's commands can change any of them. */
  readonly folders: readonly string[];
  readonly transcript: Transcript;
  publish(change: Change): void;
}

export interface AbilityCall {
  /** Unchecked `params` of the request. */
  readonly params: unknown;
  /** Undefined if the request names no known session. */
  readonly session: AbilitySession | undefined;
  /** Aborted when the agent cancels the request, the session ends or the agent exits. */
  readonly signal: AbortSignal;
}

/**
 * Feature of the editor for agents: announces itself in `clientCapabilities` and answers requests. A handler returns the JSON-RPC result;
 * an `RpcError` or `SymposiumError` that it throws becomes the error.
 */
export interface ClientAbility {
  /** Merged into `clientCapabilities` of `initialize`, member by member. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** Handlers by wire method. Requests without a handler get -32601. */
  readonly requests: Readonly<Record<string, (call: AbilityCall) => Promise<unknown>>>;
  /** Handlers by wire method. */
  readonly notifications?: Readonly<Record<string, (call: AbilityCall) => void>>;
  sessionEnded?(sessionId: string): void;
}

export interface TabSession extends SessionListener {
  /** Returns the session for the editor's abilities; `childId` is the asking sub-agent's session. */
  ability(sessionId: string, childId?: string): AbilitySession;
}

export class AbilityTable {
  readonly capabilities: Members;
  readonly requests: Readonly<Record<string, AgentRequestHandler<TabSession>>>;

  constructor(
    private readonly abilities: readonly ClientAbility[],
    private readonly logger: Logger,
    /** Capabilities that need no ability, such as the transcript's. */
    own: Members = {},
  ) {
    this.capabilities = abilities.map((ability) => ability.capabilities).reduce(merge, own);
    const handlers = abilities.flatMap(({ requests }) => Object.entries(requests));
    this.requests = Object.fromEntries(
      handlers.map(([method, handler]) => [method, (call) => handler(toAbility(call))]),
    );
  }

  /** Passes a notification to every ability with a handler; logs others. */
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
