import type { Change, Transcript } from "../../protocol/index.js";

/** A session of the agent as the abilities of the editor see it. */
export interface AbilitySession {
  readonly tabId: string;
  readonly sessionId: string;
  readonly agent: { readonly id: string; readonly name: string };
  /** Absolute paths of the folders the session may work in; the first is its working directory. */
  readonly roots: readonly string[];
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
