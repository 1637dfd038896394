import assert from "node:assert/strict";
import fc from "fast-check";
import { agentActionTool } from "@symposium-dev/core";
import { Conversation, resultOf } from "../support/language-model/conversation.js";
import { actionTool, editorTools, runEditorTool } from "../support/language-model/editor-tools.js";
import { LmProcess } from "../support/language-model/lm-process.js";
import type { ToolCallPart } from "../support/language-model/model-consumer.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

/** Next actions of a user, each with the result of a waiting call. */
const steps = fc.array(
  fc.record({
    does: fc.constantFrom("tool", "permission", "stop", "rewind", "anew", "aside"),
    waiting: fc.constantFrom("runs", "is skipped", "is cancelled", "is forgotten"),
  }),
  { maxLength: 6 },
);
type Step = (typeof steps extends fc.Arbitrary<infer T> ? T : never)[number];

const skipped = "The user chose to skip the tool call, they want to proceed without running it";
const cancelled = "The user cancelled the tool call.";

describe("chats with one process of vscodelm", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("keep their words, calls and results to themselves, whatever their users do at the same time", async () => {
    const lm = await LmProcess.start(scope(), { modelId: "model", agent: { eliza: { deterministic: true } } });
    let chats = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), steps), { minLength: 1, maxLength: 4 }), async (users) => {
        await Promise.all(users.map(([hasId, taken]) => new User(lm, `chat${chats++}`, hasId).takes(taken)));
      }),
      { numRuns: 60 },
    );
    assert.deepEqual(lm.command.client.faults, []);
    lm.command.client.endInput();
    await lm.command.endsCleanly({ code: 0, signal: null });
  });
});

/** The user of one chat. Each says words of its own, by which what belongs to others would be noticed. */
class User {
  readonly #chat: Conversation;
  #waiting: readonly ToolCallPart[] = [];
  #serial = 0;

  constructor(
    readonly lm: LmProcess,
    readonly name: string,
    hasId: boolean,
  ) {
    const tools = [actionTool, ...editorTools(4)];
    this.#chat = new Conversation(lm, {
      tools,
      system: "You are in an editor.",
      ...(hasId && { conversationId: name }),
    });
  }

  async takes(taken: readonly Step[]): Promise<void> {
    for (const step of taken) {
      if (this.#waiting.length > 0) await this.#answers(step.waiting);
      await this.#does(step.does);
    }
  }

  /** Answers the waiting calls before the user's next message. */
  async #answers(waiting: Step["waiting"]): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    if (waiting === "is forgotten") {
      this.#chat.messages.pop();
      return;
    }
    const result = { runs: undefined, "is skipped": skipped, "is cancelled": cancelled }[waiting];
    this.#chat.addResults(...calls.map((call) => resultOf(call, result ?? outcomeOf(call))));
    if (waiting === "is cancelled") return;
    const { text, error, calls: further } = await this.#chat.round();
    const results = calls.map((call) => (waiting === "runs" ? toldOf(call) : "reject_once|skip"));
    assert.deepEqual([error, further], [undefined, []]);
    for (const expected of results) assert.match(text, new RegExp(expected));
  }

  async #does(does: Step["does"]): Promise<void> {
    const { messages } = this.#chat;
    if (does === "anew") messages.splice(1);
    if (does === "rewind") this.#rewind();
    if (does === "aside") return this.#asksAside();
    const words = `${this.name} ${this.#serial++}`;
    const isPermission = does === "permission";
    this.#chat.add(
      isPermission ? `Ask permission to do ${words}` : `Use tool vscode_tools::shout with {"text": "${words}"}`,
    );
    const answer = this.#chat.ask();
    if (does === "stop") answer.cancel();
    const { calls, error } = await this.#chat.settle(answer);
    assert.equal(error, undefined);
    this.#waiting = calls;
    if (does === "stop" && calls.length === 0) return;
    // A message that was stopped before its answer is sent again with the next message. Eliza follows the first one.
    assert.deepEqual(
      calls.map(({ parameters }) => JSON.stringify(parameters).includes(`${this.name} `)),
      [true],
    );
  }

  /** Goes back to before something that was said, as who edits it. */
  #rewind(): void {
    const { messages } = this.#chat;
    const said = messages.flatMap(({ role, content }, index) =>
      role === "user" && content[0]?.type === "text" ? [index] : [],
    );
    messages.splice(said[Math.floor(said.length / 2)] ?? messages.length);
  }

  async #asksAside(): Promise<void> {
    const { text, error } = await new Conversation(this.lm, { system: "You write titles." }).say("Hello.");
    assert.deepEqual([error, text === ""], [undefined, false]);
  }
}

/** Returns Eliza's reply to a completed call. */
function toldOf(call: ToolCallPart): string {
  return call.toolName === agentActionTool ? "allow_once" : outcomeOf(call);
}

function outcomeOf({ toolName, parameters }: ToolCallPart): string {
  return toolName === agentActionTool ? "proceed" : runEditorTool(toolName, parameters);
}
