import { quirksOf } from "../../../src/agents/agent-quirks.js";
import { Logger } from "../../../src/base/logger.js";
import { Json } from "../../../src/base/rpc/json.js";
import type { AskUser } from "../../../src/models/session-permissions.js";
import { LanguageModelService } from "../../../src/models/vscode/language-model-service.js";
import { readResponseParams } from "../../../src/models/vscode/read-params.js";
import type { LmMessage, LmPart, LmTool, ResponseParams, ResponseResult } from "../../../src/models/vscode/wire.js";
import { type Prompted, StageAgent } from "../stage-agent.js";

export function user(...content: readonly (string | LmPart)[]): LmMessage {
  return { role: "user", content: content.map(toPart) };
}

export function assistant(...content: readonly (string | LmPart)[]): LmMessage {
  return { role: "assistant", content: content.map(toPart) };
}

export function system(text: string): LmMessage {
  return { role: "system", content: [{ type: "text", value: text }] };
}

function toPart(part: string | LmPart): LmPart {
  return typeof part === "string" ? { type: "text", value: part } : part;
}

export function result(call: ToolCallPart | undefined, value: unknown): LmPart {
  return { type: "tool_result", toolCallId: call?.toolCallId ?? "", result: value };
}

type ToolCallPart = Extract<LmPart, { type: "tool_call" }>;

export const read: LmTool = { name: "read_file", description: "Reads.", inputSchema: { type: "object" } };
export const write: LmTool = { name: "write_file", description: "Writes.", inputSchema: { type: "object" } };
export const action: LmTool = { name: "symposium-agent-action", inputSchema: {} };

/** A request under way. */
interface Asked {
  readonly parts: LmPart[];
  readonly ended: Promise<ResponseResult>;
  cancel(): void;
  /** Text received so far. */
  readonly text: string;
  readonly calls: readonly ToolCallPart[];
}

/** A service before an agent that does what the test says. */
export class LmStage implements AsyncDisposable {
  readonly agent = new StageAgent();
  now = 0;
  askUser: AskUser = () => {
    throw new Error("Nobody is to be asked.");
  };
  readonly logged: string[] = [];
  /** Of each chain that was opened, whether its agent is to have no tools of its own. */
  readonly starts: boolean[] = [];
  readonly service = new LanguageModelService({
    opener:
      (_agent, isRaw) =>
      (...args) => {
        this.starts.push(isRaw);
        return this.agent.open(...args);
      },
    emptyFolder: "/empty",
    version: "1",
    quirksOf,
    logger: new Logger(({ event, fields }) => void this.logged.push(`${event} ${JSON.stringify(fields)}`)),
    now: () => this.now,
  });

  ask(
    messages: readonly LmMessage[],
    more: Partial<ResponseParams> & { readonly tools?: readonly LmTool[] } = {},
  ): Asked {
    const { tools, ...members } = more;
    const options = tools && { tools };
    const request = readResponseParams(
      Json.of({ modelId: "stage", agent: { command: "stage" }, messages, ...(options && { options }), ...members }),
    );
    const controller = new AbortController();
    const parts: LmPart[] = [];
    const listener = {
      emit: (part: LmPart) => void parts.push(part),
      askUser: ((...args) => this.askUser(...args)) satisfies AskUser,
    };
    const ended = this.service.answer(request, listener, controller.signal);
    return {
      parts,
      ended,
      cancel: () => controller.abort(),
      get text() {
        return parts.map((part) => (part.type === "text" ? part.value : "")).join("");
      },
      get calls() {
        return parts.filter((part) => part.type === "tool_call");
      },
    };
  }

  /** Has the agent say this to the messages, and nothing else; the prompt that it was sent. */
  async answered(text: string, ...args: Parameters<LmStage["ask"]>): Promise<Prompted> {
    const asked = this.ask(...args);
    const prompted = await this.agent.prompt();
    prompted.say(text);
    prompted.end();
    await asked.ended;
    return prompted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}
