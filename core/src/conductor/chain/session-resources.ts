import { stringOf } from "../../base/rpc/json.js";
import { isSessionEnd } from "../../base/acp/methods.js";
import type { Owned } from "../../base/scope.js";
import { Scope } from "../../base/scope.js";
import type { Outcome, Request } from "../../base/rpc/message.js";

/** Resources with a session's lifetime. Released when the session is closed, deleted or set up again, and when the chain ends. */
export class SessionResources implements AsyncDisposable {
  readonly #sessions = new Map<string, Scope>();
  #isClosed = false;

  /** `onFault` receives errors from releasing resources while the chain continues. */
  constructor(private readonly onFault: (fault: unknown) => void) {}

  open(sessionId: string, resources: readonly Owned[]): void {
    this.#release(sessionId);
    const scope = new Scope();
    for (const resource of resources) scope.add(resource);
    if (this.#isClosed) this.#end(scope);
    else this.#sessions.set(sessionId, scope);
  }

  observe(request: Request, outcome: Outcome): void {
    if (outcome.isError || !isSessionEnd(request.method)) return;
    const sessionId = request.params?.object?.["sessionId"];
    if (typeof sessionId === "string") this.#release(sessionId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const scopes = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(scopes.map((scope) => scope[Symbol.asyncDispose]()));
  }

  #release(sessionId: string): void {
    const scope = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    if (scope) this.#end(scope);
  }

  #end(scope: Scope): void {
    scope[Symbol.asyncDispose]().catch((fault: unknown) => this.onFault(fault));
  }
}

/** Id of the session that a setup request opened, from the answer if present, otherwise from the request's parameters. */
export function openedSessionId(request: Request, outcome: Outcome): string | undefined {
  if (outcome.isError) return undefined;
  const id = outcome.json.object?.["sessionId"] ?? request.params?.object?.["sessionId"];
  return stringOf(id);
}
