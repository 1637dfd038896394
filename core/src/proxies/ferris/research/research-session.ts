import { asObject, Json } from "../../../rpc/json.js";
import type { Notification } from "../../../rpc/message.js";
import type { SourceFolder } from "../services.js";

/** One research session: what it may read, what it has handed in, what it has said. */
export class ResearchSession {
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
  update(notification: Notification): void {
    const update = asObject(notification.params?.object?.["update"]);
    const { sessionUpdate, toolCallId, kind, title, content } = update ?? {};
    if (typeof toolCallId === "string" && typeof kind === "string") this.#kinds.set(toolCallId, kind);
    if (sessionUpdate === "tool_call") {
      this.#text = "";
      this.#say("\n");
      if (typeof title === "string") this.report(title);
    } else if (sessionUpdate === "agent_message_chunk") {
      const text = Json.of(content).object?.["text"];
      if (typeof text !== "string") return;
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
