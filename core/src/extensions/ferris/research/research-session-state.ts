import { textOf, stringOf } from "../../../base/rpc/json.js";
import type { SessionListener } from "../../../conductor/client/agent-session.js";
import { isUpdate } from "../../../conductor/client/unchecked.js";
import type { SourceFolder } from "../services.js";

/** State of one research session: readable folders, submitted findings and messages. */
export class ResearchSessionState implements SessionListener {
  /** Folders that the session may read. */
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

  /** Whether all further requests are denied. */
  get isOver(): boolean {
    return this.#isOver;
  }

  end(): void {
    this.#isOver = true;
  }

  addResponse(response: string): void {
    this.#responses.push(response);
  }

  /** The submitted findings, else the text after the last tool call; empty if there is neither. */
  get answer(): string {
    return this.#responses.length > 0 ? this.#responses.join("\n\n") : this.#text.trim();
  }

  /** Returns a tool call's kind from an earlier update. */
  kindOf(toolCallId: unknown): string | undefined {
    return typeof toolCallId === "string" ? this.#kinds.get(toolCallId) : undefined;
  }

  /** Processes a `session/update`. Reports tool calls and complete lines of text as progress. */
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
