import { messageOf, type OperationState } from "@symposium-dev/core";
import type { Question, Reply } from "../workspace.js";
import type { OperationContext } from "./operation-context.js";

/** When one server has answered, how long the others may take. */
const laterMs = 5_000;

/** What came from one of several servers: nothing where it failed or was not waited for, which its state says. */
interface PartialReply {
  readonly value: unknown;
  readonly state: OperationState;
}

/**
 * Asks the servers of all languages of the workspace, or only of those of `documents`. None that fails, or is slow, keeps
 * back what the others know.
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
      return { value: valueOf(reply), state: reply.state };
    } catch (error) {
      if (signal.aborted) throw error;
      if (impatience.signal.aborted) return { value: null, state: { kind: "loading" } };
      return { value: null, state: { kind: "degraded", reason: messageOf(error) } };
    }
  });
  try {
    const replies = await Promise.all(asked);
    return replies.length > 0 ? replies : [{ value: null, state: nobody(workspace.folder) }];
  } finally {
    clearTimeout(timer);
  }
}

/** For a folder without files that any server knows. */
export function nobody(folder: string): OperationState {
  return { kind: "degraded", reason: `No language server serves any file of ${folder}.` };
}

function valueOf(reply: Reply): unknown {
  return reply.kind === "answered" ? reply.value : null;
}
