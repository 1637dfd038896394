import { type OperationState, normalFileUri } from "@symposium-dev/core";
import { notSupportedBy } from "../connection/capability-table.js";
import type { LanguageServer, ServerRequest } from "../connection/language-server.js";
import type { DocumentView } from "../documents/client-documents.js";
import type { ServerQuestion, Reply, Workspace } from "../workspace.js";
import type { DocumentDiagnostics } from "./document-diagnostics.js";
import { type Wire } from "./wire-places.js";

export interface OperationContext {
  readonly workspace: Workspace;
  /** Documents as seen by the client that asks. */
  readonly view: DocumentView;
  readonly diagnostics: DocumentDiagnostics;
  readonly codeActions: CodeActionStore;
}

interface Answered {
  /** The answer's value in LSP's format; null if there is none. */
  readonly value: unknown;
  readonly state: OperationState;
}

interface AskParams<P> extends Pick<ServerQuestion, "support" | "needsWhole"> {
  readonly uri: string;
  readonly request: ServerRequest<P>;
  readonly params: Omit<P, "textDocument">;
}

/**
 * Asks the server of the document `uri` and adds `textDocument` to the parameters. Without a server, returns a degraded answer; throws if
 * the server doesn't support the request.
 */
export async function askAbout<P extends object>(
  context: OperationContext,
  question: AskParams<P>,
  signal: AbortSignal,
): Promise<Reply> {
  const uri = normalFileUri(question.uri);
  const params = { textDocument: { uri }, ...question.params };
  return context.workspace.ask({ ...question, view: context.view, uri, params }, signal);
}

/** Returns the server's answer, or the state if there is no answer. Throws if the server doesn't support the request. */
export function answered(reply: Reply, { method }: ServerRequest<object>): Answered {
  if (reply.kind === "answered") return reply;
  if (reply.kind === "unavailable") return { value: null, state: reply.state };
  throw notSupportedBy(reply.server, method);
}

export interface StoredAction {
  readonly action: Wire;
  readonly uri: string;
  readonly server: LanguageServer;
  readonly version: number | undefined;
}

const maxActions = 500;

/** Stores the code actions that were listed last, by the id with which a client resolves them. */
export class CodeActionStore {
  readonly #actions = new Map<string, StoredAction>();
  #last = 0;

  put(action: StoredAction): string {
    const id = `action-${++this.#last}`;
    this.#actions.set(id, action);
    this.#actions.delete(`action-${this.#last - maxActions}`);
    return id;
  }

  get(id: string): StoredAction | undefined {
    return this.#actions.get(id);
  }
}
