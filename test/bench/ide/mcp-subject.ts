import type { ChildOptions } from "../../support/child.js";
import { arrayOf, type JsonObject, objectOf, stringOf } from "../../support/json.js";
import { type Answer, lostCode, RawClient } from "../../support/raw-client.js";
import type { IdeQuestion, IdeReply, IdeSubject } from "./ide-lane.js";

/** A tool call, and by which text its answer is known to be right. */
interface ToolQuestion {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly answer: string;
}

export type ToolQuestions = Readonly<Record<IdeQuestion, ToolQuestion>>;

/** An MCP server over stdio that answers by its tools. */
export class McpSubject implements IdeSubject {
  private constructor(
    private readonly client: RawClient,
    private readonly questions: ToolQuestions,
    readonly toolListBytes: number,
  ) {}

  static async open(options: ChildOptions, questions: ToolQuestions): Promise<McpSubject> {
    const client = new RawClient(options);
    try {
      const clientInfo = { name: "bench", version: "1.0.0" };
      await answered(client, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      client.notify("notifications/initialized", {});
      const tools = await answered(client, "tools/list", {});
      return new McpSubject(client, questions, Buffer.byteLength(tools.text));
    } catch (failure) {
      await client[Symbol.asyncDispose]();
      throw failure;
    }
  }

  get pid(): number {
    return this.client.child.process.pid ?? 0;
  }

  async ask(question: IdeQuestion): Promise<IdeReply> {
    const { tool, arguments: given, answer } = this.questions[question];
    const reply = await answered(this.client, "tools/call", { name: tool, arguments: given });
    const text = arrayOf(objectOf(reply.value)["content"])
      .map((part) => stringOf(objectOf(part)["text"]))
      .join("\n");
    return { text, isRight: !reply.isError && text.includes(answer) };
  }

  endInput(): void {
    this.client.endInput();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }
}

/** The answer to a request; throws when the server ended without one. */
async function answered(client: RawClient, method: string, params: JsonObject): Promise<Answer> {
  const answer = await client.request(method, params);
  if (!answer.isError || objectOf(answer.value)["code"] !== lostCode) return answer;
  throw new Error(`${await client.child.exited} ${client.child.stderrTail}`.trim());
}
