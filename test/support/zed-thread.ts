import { arrayOf, type JsonObject, objectOf, stringOf } from "./json.js";

/** A select of Zed's message editor. */
interface ZedSelector {
  readonly id: string;
  readonly category: string;
  readonly current: unknown;
  readonly values: readonly string[];
}

/** One conversation as Zed keeps it: what it takes from session updates, and nothing else. */
export class ZedThread {
  /** Text from the agent. */
  text = "";
  /** Symposium's own messages, which Zed shows after the agent's text. */
  notices = "";
  title: string | undefined;
  /** Names without the slash. */
  commands: readonly string[] = [];
  selectors: readonly ZedSelector[];
  /** The modes of the session; Zed has none of them where the session has config options. */
  readonly modes: readonly string[];
  readonly toolCalls = new Map<string, JsonObject>();
  /** Kinds of updates that Zed has no use for. */
  readonly ignored: string[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(
    readonly sessionId: string,
    opened: JsonObject,
  ) {
    const hasOptions = Array.isArray(opened["configOptions"]);
    this.selectors = selectorsOf(opened["configOptions"]);
    const modes = arrayOf(objectOf(opened["modes"])["availableModes"]);
    this.modes = hasOptions ? [] : modes.map((mode) => stringOf(objectOf(mode)["id"]));
  }

  /** Takes one session update. */
  update(update: JsonObject): void {
    this.#take(stringOf(update["sessionUpdate"]), update);
    for (const check of this.#waiting) check();
  }

  /** Resolves when this holds, now or after a later update. */
  async until(holds: () => boolean): Promise<void> {
    if (holds()) return;
    await new Promise<void>((resolve) => {
      const check = (): void => {
        if (!holds()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
    });
  }

  #take(kind: string, update: JsonObject): void {
    switch (kind) {
      case "agent_message_chunk":
        if (objectOf(objectOf(update["_meta"])["symposium"])["notice"] === undefined) this.text += textOf(update);
        else this.notices += textOf(update);
        return;
      case "tool_call":
      case "tool_call_update": {
        const id = stringOf(update["toolCallId"]);
        this.toolCalls.set(id, { ...this.toolCalls.get(id), ...update });
        return;
      }
      case "session_info_update":
        this.title = stringOf(update["title"]) || this.title;
        return;
      case "available_commands_update":
        this.commands = arrayOf(update["availableCommands"]).map((command) => stringOf(objectOf(command)["name"]));
        return;
      case "config_option_update":
        this.selectors = selectorsOf(update["configOptions"]);
        return;
      case "user_message_chunk":
      case "agent_thought_chunk":
      case "plan":
      case "current_mode_update":
      case "usage_update":
        return;
      default:
        this.ignored.push(kind);
    }
  }
}

/** The config options that Zed shows. */
export function selectorsOf(configOptions: unknown): readonly ZedSelector[] {
  return arrayOf(configOptions)
    .map(objectOf)
    .map((option) => ({
      id: stringOf(option["id"]),
      category: stringOf(option["category"]),
      current: option["currentValue"],
      values: arrayOf(option["options"])
        .map(objectOf)
        .flatMap((choice) => ("options" in choice ? arrayOf(choice["options"]).map(objectOf) : [choice]))
        .map(({ value }) => stringOf(value)),
    }));
}

function textOf(update: JsonObject): string {
  return stringOf(objectOf(update["content"])["text"]);
}
