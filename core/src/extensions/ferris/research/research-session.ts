import { textOf, stringOf } from "../../../base/rpc/json.js";
import type { SessionListener } from "../../../conductor/client/agent-session.js";
import { isUpdate } from "../../../conductor/client/unchecked.js";
import type { LocatedCrate } from "../crates/crate-locator.js";
import type { SourceFolder } from "../services.js";

/** One research session: what it may read, what it has handed in, what it has said. */
export class ResearchSession implements SessionListener {
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

export const researchServerName = "ferris-research";
export const sourceToolName = "get_rust_crate_source";
export const responseToolName = "return_response_to_user";

/** What the research session is asked: the crate, where its sources are, the rules, the task. */
export function researchPrompt(crate: LocatedCrate, task: string): string {
  const { name, version, folder, rootFile } = crate;
  return [
    `Research a question about the Rust crate "${name}", version ${version}, in its source code.`,
    "",
    `The sources are in ${folder.path}${rootFile === undefined ? "" : ` (root file ${rootFile})`}.`,
    "",
    "Rules:",
    `- Read and search files in that folder only. For the sources of another crate call the tool ${sourceToolName} first.`,
    "- Everything else is refused without asking anyone: running commands, changing or making files, the network, files",
    "  elsewhere. Do not try again what was refused; read instead.",
    "- Say only what the sources show, with file and line; quote signatures exactly. Say so when they do not tell.",
    `- When you are done, call the tool ${responseToolName} with your findings. Only what you give it reaches the one who asked;`,
    "  several calls are joined. Nobody can answer questions.",
    "",
    "The question:",
    task,
  ].join("\n");
}
