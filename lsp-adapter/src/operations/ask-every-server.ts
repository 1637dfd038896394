import { messageOf, type OperationState, type SymposiumError, worstState } from "@symposium-dev/core";
import { notSupportedBy } from "../connection/capability-table.js";
import type { ServerQuestion } from "../workspace.js";
import type { OperationContext } from "./operation-context.js";

/** Milliseconds that other servers may take after the first answer. */
const laterMs = 5_000;

/** Answer of one of several servers; null if it failed or was too slow, with the reason in `state`. */
interface PartialReply {
  readonly value: unknown;
  readonly state: OperationState;
  /** Set if the server doesn't support the request. */
  readonly lack?: SymposiumError;
}

/**
 * Asks the servers of all languages in the workspace, or only of the languages of `documents`. A server that fails or is slow doesn't block
 * the answers of the others. Throws if no server supports the request.
 */
export async function askEveryServer(
  { workspace, view }: OperationContext,
  { documents, ...question }: Omit<ServerQuestion, "view" | "uri"> & { readonly documents?: readonly string[] },
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

/** Returns the state for a folder that contains no files for any language server. */
export function nobody(folder: string): OperationState {
  return { kind: "degraded", reason: `No language server supports any file in ${folder}.` };
}

/** Combines the states of all answers. If nothing was found, includes servers that don't support the request. */
export function stateOfAll(replies: readonly PartialReply[], isNothing: boolean): OperationState {
  return worstState(
    replies.map(({ state, lack }) => (lack && isNothing ? { kind: "degraded", reason: lack.message } : state)),
  );
}
