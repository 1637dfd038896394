import type { OperationState } from "@symposium-dev/core";
import { notOffered } from "../connection/not-offered.js";
import type { DocumentView } from "../documents/document-view.js";
import type { Question, Reply, Workspace } from "../workspace.js";
import { canonicalUri } from "./wire-places.js";
import type { CodeActionShelf } from "./code-action-shelf.js";
import type { DiagnosticsBoard } from "./diagnostics-board.js";

/** What every operation works with. */
export interface OperationContext {
  readonly workspace: Workspace;
  /** The documents as the asking client sees them. */
  readonly view: DocumentView;
  readonly diagnostics: DiagnosticsBoard;
  readonly codeActions: CodeActionShelf;
}

/** What there is to say when nothing was found, or nobody could be asked. */
interface Answered {
  /** As LSP has it; null where there is none. */
  readonly value: unknown;
  readonly state: OperationState;
}

type AskParams = Omit<Question, "view" | "uri" | "params"> & { readonly uri: string; readonly params?: object };

/**
 * Asks the server of the document `uri`, whose `textDocument` is added to the parameters. An absent server is a degraded answer;
 * one without the ability is a failure that says so.
 */
export async function askAbout(context: OperationContext, question: AskParams, signal: AbortSignal): Promise<Reply> {
  const uri = canonicalUri(question.uri);
  const params = { textDocument: { uri }, ...question.params };
  return context.workspace.ask({ ...question, view: context.view, uri, params }, signal);
}

/** The answer of a server, or the state in which there is none. Throws where the server has no such ability. */
export function answered(reply: Reply, method: string): Answered {
  if (reply.kind === "answered") return reply;
  if (reply.kind === "unavailable") return { value: null, state: reply.state };
  throw notOffered(reply.server, method);
}
