import { asObject, type Members, parsedValue, stringOf } from "../../base/rpc/json.js";
import type { IndexedTool } from "./tool-index.js";
import { callTitles, searchTools, type ToolSearchServer } from "./tool-search-server.js";

/**
 * Changed permission request: either `answered` without the user, or `asked` in another form. In the second case, `answer` translates the
 * user's answer back.
 */
export type AskedPermission =
  | { readonly kind: "answered"; readonly result: Members }
  | { readonly kind: "asked"; readonly params: Members; answer(result: Members): Members };

const callName = new RegExp(`(?<![a-z])(?:${searchTools.read}|${searchTools.call})(?![a-z])`);

const sessionOption = "symposium_allow_tool";

/**
 * Shows calls through tool search as calls of the inner tools, with name and arguments. Permission requests cover only the inner tool: the
 * option to always allow `call_tool` becomes an option to allow the inner tool for the session.
 */
export class InnerCalls {
  /** Inner tools of running calls by tool call id; undefined until the agent names the inner tool. */
  readonly #running = new Map<string, IndexedTool | undefined>();
  readonly #allowed = new Set<string>();
  readonly #serverName: RegExp;
  #turns = 0;

  constructor(private readonly search: ToolSearchServer) {
    this.#serverName = new RegExp(`(?<![\\p{L}\\p{N}])${search.name}(?![\\p{L}\\p{N}])`, "u");
  }

  turn(isRunning: boolean): void {
    const before = this.#turns;
    this.#turns = Math.max(0, before + (isRunning ? 1 : -1));
    if (before > 0 === this.#turns > 0) return;
    this.search.turn(isRunning);
    if (!isRunning) this.#running.clear();
  }

  end(): void {
    this.#turns = Math.min(1, this.#turns);
    this.turn(false);
  }

  /** Returns the changed tool call (ACP `ToolCall` or `ToolCallUpdate`); undefined leaves the tool call unmodified. */
  shown(toolCall: Members): Members | undefined {
    const inner = this.#innerOf(toolCall);
    if (!inner) return undefined;
    const { title, rawInput, content, status } = toolCall;
    const input = callIn(rawInput);
    return {
      ...toolCall,
      ...(typeof title === "string" && { title: this.#innerTitle(title, inner) }),
      ...(input && { rawInput: input.args }),
      ...(Array.isArray(content) && !isOver(status) && { content: content.map(withInnerText) }),
    };
  }

  /** Returns the changed permission request (ACP `session/request_permission`); undefined if the request isn't for an inner tool. */
  asked(params: Members): AskedPermission | undefined {
    const toolCall = asObject(params["toolCall"]);
    const inner = toolCall && this.#innerOf(toolCall);
    if (!inner) return undefined;
    const options = (Array.isArray(params["options"]) ? params["options"] : []).map(asObject);
    const once = options.find((option) => option?.["kind"] === "allow_once")?.["optionId"];
    if (once !== undefined && this.#allowed.has(keyOf(inner))) {
      return { kind: "answered", result: { outcome: { outcome: "selected", optionId: once } } };
    }
    const { tool, server } = inner;
    const forSession = {
      optionId: sessionOption,
      name: `Allow ${tool.name} (${server.name}) for this session`,
      kind: "allow_always",
    };
    const narrow = options.filter((option) => !/_always$/.test(String(option?.["kind"])));
    return {
      kind: "asked",
      params: {
        ...params,
        toolCall: this.shown(toolCall) ?? toolCall,
        options: once === undefined ? options : [...narrow, forSession],
      },
      answer: (result) => {
        const outcome = asObject(result["outcome"]);
        if (outcome?.["optionId"] !== sessionOption) return result;
        this.#allowed.add(keyOf(inner));
        return { ...result, outcome: { ...outcome, optionId: once } };
      },
    };
  }

  /** Returns the inner tool of a `call_tool` call; undefined for other calls, or if the agent hasn't named a known tool yet. */
  #innerOf({ toolCallId, title, rawInput, content, status }: Members): IndexedTool | undefined {
    if (typeof toolCallId !== "string") return undefined;
    const isOurs = this.#running.has(toolCallId) || this.#isCallTitle(title);
    if (!isOurs) return undefined;
    const texts = Array.isArray(content) && !isOver(status) ? content.map(textIn) : [];
    const [call] = [callIn(rawInput), ...texts.map(callInText)].filter((one) => one !== undefined);
    const found = call && this.search.index.named(call.name);
    const inner = found?.length === 1 ? found[0] : this.#running.get(toolCallId);
    if (isOver(status)) this.#running.delete(toolCallId);
    else this.#running.set(toolCallId, inner);
    return inner;
  }

  /** Other servers may have a tool with this name. A longer title must therefore contain the name of this server. */
  #isCallTitle(title: unknown): boolean {
    if (typeof title !== "string") return false;
    const [name] = callName.exec(title) ?? [];
    return callTitles.has(title) || (name !== undefined && (name === title || this.#serverName.test(title)));
  }

  /** Inserts the names of the inner tool and its server into a call's title, and preserves the agent's title format. */
  #innerTitle(title: string, { tool, server }: IndexedTool): string {
    if (callTitles.has(title)) return `${tool.name} (${server.name})`;
    if (!callName.test(title)) return title;
    // The replacements are functions, since a `$` in a replacement string would have a special meaning.
    return title.replace(this.#serverName, () => server.name).replace(callName, () => tool.name);
  }
}

/** Whether a call has ended. Afterwards its content is the result, which may be JSON with a `name`. */
function isOver(status: unknown): boolean {
  return status === "completed" || status === "failed";
}

function callIn(input: unknown): { readonly name: string; readonly args: Members } | undefined {
  const { name, arguments: given = {} } = asObject(input) ?? {};
  if (typeof name !== "string") return undefined;
  const args = asObject(typeof given === "string" ? parsedValue(given) : given);
  return { name, args: args ?? {} };
}

function callInText(text: string | undefined): ReturnType<typeof callIn> {
  const value = text?.startsWith("{") === true ? asObject(parsedValue(text)) : undefined;
  return value && Object.keys(value).every((key) => key === "name" || key === "arguments") ? callIn(value) : undefined;
}

/** Returns the text of a tool call's content (ACP `{type: "content", content: {type: "text", text}}`). */
function textIn(item: unknown): string | undefined {
  const text = asObject(asObject(item)?.["content"])?.["text"];
  return stringOf(text);
}

/** Replaces a call's arguments in content that shows them as JSON text, as some agents do. */
function withInnerText(item: unknown): unknown {
  const call = callInText(textIn(item));
  if (!call) return item;
  const outer = asObject(item);
  return { ...outer, content: { ...asObject(outer?.["content"]), text: JSON.stringify(call.args) } };
}

/** Returns a tool's key for permissions. The key uses names, since labels can move to another tool when lists change. */
function keyOf({ server, tool }: IndexedTool): string {
  return `${server.name}\n${tool.name}`;
}
