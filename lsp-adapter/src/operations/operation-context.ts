import { type OperationState, normalFileUri } from "@symposium-dev/core";
import { notSupportedBy } from "../connection/capability-table.js";
import type { LanguageServer, ServerRequest } from "../connection/language-server.js";
import type { DocumentView } from "../documents/document-view.js";
import type { Question, Reply, Workspace } from "../workspace.js";
import type { DocumentDiagnostics } from "./document-diagnostics.js";
import { type Wire } from "./wire-places.js";

/** What every operation works with. */
export interface OperationContext {
  readonly workspace: Workspace;
  /** The documents as the asking client sees them. */
  readonly view: DocumentView;
  readonly diagnostics: DocumentDiagnostics;
  readonly codeActions: CodeActionStore;
}

/** What there is to say when nothing was found, or nobody could be asked. */
interface Answered {
  /** As LSP has it; null where there is none. */
  readonly value: unknown;
  readonly state: OperationState;
}

interface AskParams<P> extends Pick<Question, "support" | "needsWhole"> {
  readonly uri: string;
  readonly request: ServerRequest<P>;
  readonly params: Omit<P, "textDocument">;
}

/**
 * Asks the server of the document `uri`, whose `textDocument` is added to the parameters. An absent server is a degraded answer;
 * one without the ability is a failure that says so.
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

/** The answer of a server, or the state in which there is none. Throws where the server has no such ability. */
export function answered(reply: Reply, { method }: ServerRequest<object>): Answered {
  if (reply.kind === "answered") return reply;
  if (reply.kind === "unavailable") return { value: null, state: reply.state };
  throw notSupportedBy(reply.server, method);
}

/** A code action as its server gave it. */
export interface StoredAction {
  readonly action: Wire;
  readonly uri: string;
  readonly server: LanguageServer;
  /** Of the document it was made for. */
  readonly version: number | undefined;
}

const maxActions = 500;

/** The code actions that were listed last, by the id under which they can be asked for. */
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
