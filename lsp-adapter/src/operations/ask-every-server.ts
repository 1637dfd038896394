import { messageOf, type OperationState, type SymposiumError, worstState } from "@symposium-dev/core";
import { notSupportedBy } from "../connection/capability-table.js";
import type { Question } from "../workspace.js";
import type { OperationContext } from "./operation-context.js";

/** When one server has answered, how long the others may take. */
const laterMs = 5_000;

/** What came from one of several servers: nothing where it failed or was not waited for, which its state says. */
interface PartialReply {
  readonly value: unknown;
  readonly state: OperationState;
  /** Where the server has no such ability. */
  readonly lack?: SymposiumError;
}

/**
 * Asks the servers of all languages of the workspace, or only of those of `documents`. None that fails, or is slow, keeps
 * back what the others know. Throws where none of them has the ability.
 */
export async function askEveryServer(
  { workspace, view }: OperationContext,
  { documents, ...question }: Omit<Question, "view" | "uri"> & { readonly documents?: readonly string[] },
  signal: AbortSignal,
): Promise<readonly PartialReply[]> {
  const servers = await workspace.serversOfLanguages(documents);
  const impatience = new AbortController();
  const linked = AbortSignal.any([signal, impatience.signal]);
  let timer: NodeJS.Timeout | undefined;
  const asked = servers.map(async ({ server, uri }): Promise<PartialReply> => {
    try {
      const reply = await workspace.askServer(server, { ...question, view, uri }, linked);
      timer ??= setTimeout(() => impatience.abort(), laterMs);
      if (reply.kind === "answered") return { value: reply.value, state: reply.state };
      const lack = reply.kind === "not-supported" && notSupportedBy(reply.server, question.request.method);
      return { value: null, state: reply.state, ...(lack && { lack }) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (impatience.signal.aborted) return { value: null, state: { kind: "loading" } };
      return { value: null, state: { kind: "degraded", reason: messageOf(error) } };
    }
  });
  try {
    const replies = await Promise.all(asked);
    const [first] = replies;
    if (!first) return [{ value: null, state: nobody(workspace.folder) }];
    if (first.lack && replies.every(({ lack }) => lack)) throw first.lack;
    return replies;
  } finally {
    clearTimeout(timer);
  }
}

/** For a folder without files that any server knows. */
export function nobody(folder: string): OperationState {
  return { kind: "degraded", reason: `No language server serves any file of ${folder}.` };
}

/** The state of all of them together: where `isNothing` was found, those that could not look say so. */
export function stateOfAll(replies: readonly PartialReply[], isNothing: boolean): OperationState {
  return worstState(
    replies.map(({ state, lack }) => (lack && isNothing ? { kind: "degraded", reason: lack.message } : state)),
  );
}
