import { objectsOf } from "../../client/unchecked.js";
import { asObject, Json } from "../../rpc/json.js";
import { Outcome, Request } from "../../rpc/message.js";
import { ask, type Peer } from "../../rpc/peer.js";

/**
 * The edits of an agent that, once the user has allowed one, has the editor write the file and writes the disk at the same
 * time. What the editor then finds on the disk is a matter of luck, and with it whether there is a change to show. So the
 * editor writes before the agent hears the answer, and the agent's own request, which it makes of what stands on the disk
 * by then, is answered in the editor's place.
 */
export class AllowedEdits {
  /** Written here, and not asked for by the agent since: by session and path. */
  readonly #written = new Set<string>();

  constructor(private readonly client: Peer) {}

  /**
   * Has the editor write the file that a question shows, if the answer allows it: the whole file before and after, which
   * the editor still has as it was. Never rejects: what is not written here, the agent writes.
   */
  async write({ params }: Request, answer: Outcome): Promise<void> {
    const { sessionId, toolCall, options } = params?.object ?? {};
    const [edit, ...others] = objectsOf(asObject(toolCall)?.["content"]);
    const { type, path, oldText, newText } = edit ?? {};
    if (others.length > 0 || type !== "diff" || typeof newText !== "string") return;
    this.#written.delete(keyOf(sessionId, path));
    if (!isAllowed(answer, options)) return;
    const shown = await ask(this.client, Request.of("fs/read_text_file", { sessionId, path }));
    // Editors answer for a file that is not there with an empty text, or with an error.
    const before = shown.isError ? "" : shown.json.object?.["content"];
    if (before !== (oldText ?? "")) return;
    const done = await ask(this.client, Request.of("fs/write_text_file", { sessionId, path, content: newText }));
    if (!done.isError) this.#written.add(keyOf(sessionId, path));
  }

  /** The answer to the agent's own request for what has been written here; undefined where that is not so. */
  answerTo({ params }: Request): Outcome | undefined {
    const { sessionId, path } = params?.object ?? {};
    return this.#written.delete(keyOf(sessionId, path)) ? Outcome.result(Json.of({})) : undefined;
  }
}

function isAllowed(answer: Outcome, options: unknown): boolean {
  const { outcome, optionId } = asObject(answer.json.object?.["outcome"]) ?? {};
  const chosen = objectsOf(options).find((option) => option["optionId"] === optionId);
  return !answer.isError && outcome === "selected" && String(chosen?.["kind"]).startsWith("allow");
}

function keyOf(sessionId: unknown, path: unknown): string {
  return `${String(sessionId)} ${String(path)}`;
}
