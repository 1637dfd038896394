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

/** What the transcript itself can show of agents, announced in `clientCapabilities` beside the abilities. */
export const ownCapabilities = {
  session: { compaction: {}, configOptions: { boolean: {} }, notices: {} },
  plan: {},
  subagents: {},
} as const;

/** A session of the agent as the abilities of the editor see it. */
export interface AbilitySession {
  readonly tabId: string;
  readonly sessionId: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** Absolute paths of the folders the session may work in; the first is its working directory. */
  readonly roots: readonly string[];
  /** Absolute paths of all open folders that the tab may be about, the roots first: its agent's commands can change each. */
  readonly folders: readonly string[];
  readonly transcript: Transcript;
  /** Changes the tab's transcript, for the view and for the store. */
  publish(change: Change): void;
}

export interface AbilityCall {
  /** `params` of the request, not checked yet. */
  readonly params: unknown;
  /** Undefined where the request names no session we know. */
  readonly session: AbilitySession | undefined;
  /** Fires when the agent gives the request up, the session ends or the agent dies. */
  readonly signal: AbortSignal;
}

/**
 * Something the editor can do for agents: it announces itself in `clientCapabilities` and answers requests. One
 * feature, one ability. A handler's result is the JSON-RPC result; an `RpcError` or `SymposiumError` it throws becomes
 * the error of the answer.
 */
export interface ClientAbility {
  /** Merged into `clientCapabilities` of `initialize`, member by member. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** By wire method. Requests that no ability knows are answered with -32601. */
  readonly requests: Readonly<Record<string, (call: AbilityCall) => Promise<unknown>>>;
  /** By wire method. */
  readonly notifications?: Readonly<Record<string, (call: AbilityCall) => void>>;
  /** The session is over: whatever it still holds is released. */
  sessionEnded?(sessionId: string): void;
}

/** A tab's session of an agent, as the client finds it for what the agent sends. */
export interface TabSession extends SessionListener {
  /** The same for the abilities of the editor; `childId` is the session of the sub-agent that asks. */
  ability(sessionId: string, childId?: string): AbilitySession;
}

/** Everything the editor can do for agents. */
export class AbilityTable {
  /** `clientCapabilities` of `initialize`: those of all abilities, merged member by member. */
  readonly capabilities: Members;
  /** How requests of an agent are answered, by wire method. */
  readonly requests: Readonly<Record<string, AgentRequestHandler<TabSession>>>;

  constructor(
    private readonly abilities: readonly ClientAbility[],
    private readonly logger: Logger,
    /** What this side can show without an ability: capabilities of the transcript itself. */
    own: Members = {},
  ) {
    this.capabilities = abilities.map((ability) => ability.capabilities).reduce(merge, own);
    const handlers = abilities.flatMap(({ requests }) => Object.entries(requests));
    this.requests = Object.fromEntries(
      handlers.map(([method, handler]) => [method, (call) => handler(toAbility(call))]),
    );
  }

  /** Hands a notification to every ability that knows it; others are only logged. */
  notify(call: AgentCall<TabSession>): void {
    const { method } = call;
    const handlers = this.abilities.flatMap(({ notifications }) => notifications?.[method] ?? []);
    if (handlers.length === 0) this.logger.debug("ignored a notification of the agent", { method });
    for (const handler of handlers) {
      try {
        handler(toAbility(call));
      } catch (thrown) {
        this.logger.error("a notification of the agent failed", { method, reason: messageOf(thrown) });
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
