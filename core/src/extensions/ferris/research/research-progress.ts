import { textOf, stringOf } from "../../../base/rpc/json.js";
import type { SessionListener } from "../../../conductor/client/agent-session.js";
import { isUpdate } from "../../../conductor/client/unchecked.js";
import type { SourceFolder } from "../services.js";

/** One research session: what it may read, what it has handed in, what it has said. */
export class ResearchProgress implements SessionListener {
  /** Folders it may read. */
  readonly folders: SourceFolder[];
  readonly #responses: string[] = [];
  readonly #kinds = new Map<string, string>();
  #text = "";
  #line = "";
  #isOver = false;

  constructor(
    folder: SourceFolder,
    private readonly report: (message: string) => void,
  ) {
    this.folders = [folder];
  }

  /** Nothing is allowed any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  addResponse(response: string): void {
    this.#responses.push(response);
  }

  /** What it handed in, else what it said after its last tool call; empty when neither. */
  get answer(): string {
    return this.#responses.length > 0 ? this.#responses.join("\n\n") : this.#text.trim();
  }

  /** The kind that an earlier update gave a tool call. */
  kindOf(toolCallId: unknown): string | undefined {
    return typeof toolCallId === "string" ? this.#kinds.get(toolCallId) : undefined;
  }

  /** Takes in one `session/update` and reports tool calls and whole lines of text as progress. */
  update(update: Parameters<SessionListener["update"]>[0]): void {
    const toolCallId = stringOf(update.toolCallId);
    const kind = stringOf(update.kind);
    if (toolCallId !== undefined && kind !== undefined) this.#kinds.set(toolCallId, kind);
    if (isUpdate(update, "tool_call")) {
      this.#text = "";
      this.#say("\n");
      const title = stringOf(update.title);
      if (title !== undefined) this.report(title);
    } else if (isUpdate(update, "agent_message_chunk")) {
      const text = textOf(update.content?.text);
      this.#text += text;
      this.#say(text);
    }
  }

  #say(text: string): void {
    const lines = (this.#line + text).split("\n");
    this.#line = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") this.report(line.trim());
  }
}
