import assert from "node:assert/strict";
import { Connection } from "../../../src/base/rpc/connection.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel } from "../../../src/base/rpc/peer.js";
import { LanguageModelEndpoint } from "../../../src/models/vscode/agents-as-models.js";
import { LmStage } from "./lm-stage.js";

const hello = { role: "user", content: [{ type: "text", value: "Hello" }] };
const agent = { command: "stage" };

describe("the wire between an editor's extension and language models", () => {
  let stage: LmStage;
  let editor: Connection;
  /** Requests and notifications to the editor, as method and value. */
  let heard: unknown[];
  let permission: unknown;
  beforeEach(() => {
    stage = new LmStage();
    heard = [];
    permission = { outcome: "allow" };
    editor = new Connection({
      send: (line) => process_.receive(line),
      inbound: {
        request: ({ method, params }, reply) => {
          heard.push([method, params?.value]);
          reply(
            permission === undefined
              ? Outcome.errorJson(Json.of({ code: -32601, message: "?" }))
              : Outcome.of(permission),
          );
          return nothingToCancel;
        },
        notify: ({ method, params }) => void heard.push([method, params?.value]),
      },
      answersGarbage: false,
    });
    const process_: Connection = new Connection({
      send: (line) => editor.receive(line),
      inbound: {
        request: (request, reply) => endpoint.fromClient.request(request, reply),
        notify: (notification) => endpoint.fromClient.notify(notification),
      },
      answersGarbage: true,
    });
    const endpoint = new LanguageModelEndpoint(stage.service, process_);
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  async function call(method: string, params: unknown): Promise<unknown> {
    const { isError, json } = await ask(editor, Request.of(method, params));
    return isError ? [json.object?.["code"], json.object?.["message"]] : json.value;
  }

  it("tells parts, that they are complete, and then the result, under the request's id", async () => {
    const answer = call("lm/provideLanguageModelChatResponse", { modelId: "m", agent, messages: [hello] });
    const prompted = await stage.agent.prompt();
    prompted.say("Hi.");
    prompted.end();
    assert.deepEqual(await answer, { stopReason: "end_turn" });
    assert.deepEqual(heard, [
      ["lm/responsePart", { requestId: 1, part: { type: "text", value: "Hi." } }],
      ["lm/responseComplete", { requestId: 1 }],
    ]);
  });

  it("calls a request what the editor calls it, and answers it when it is cancelled by that", async () => {
    const answer = call("lm/provideLanguageModelChatResponse", {
      requestId: "r1",
      modelId: "m",
      agent,
      messages: [hello],
    });
    const prompted = await stage.agent.prompt();
    prompted.say("Hi.");
    editor.notify(Notification.of("lm/cancel", { requestId: "another" }));
    editor.notify(Notification.of("lm/cancel", {}));
    editor.notify(Notification.of("lm/cancel", { requestId: "r1" }));
    prompted.say("Too late.");
    assert.deepEqual(await answer, { stopReason: "cancelled" });
    assert.deepEqual(heard, [
      ["lm/responsePart", { requestId: "r1", part: { type: "text", value: "Hi." } }],
      ["lm/responseComplete", { requestId: "r1" }],
    ]);
  });

  it("gives a request up by JSON-RPC's own cancellation, too", async () => {
    const answered: unknown[] = [];
    const request = Request.of("lm/provideLanguageModelChatResponse", { modelId: "m", agent, messages: [hello] });
    const ended = new Promise<void>((resolve) => {
      const cancel = editor.request(request, ({ json }) => {
        answered.push(json.value);
        resolve();
      });
      void stage.agent.prompt().then(cancel);
    });
    await ended;
    assert.deepEqual(answered, [{ stopReason: "cancelled" }]);
  });

  it("asks for permission, and takes any answer but a clear one for a refusal", async () => {
    const outcomes: unknown[] = [];
    for (const given of [{ outcome: "allow" }, { outcome: "reject" }, { outcome: "always" }, {}, undefined]) {
      permission = given;
      const answer = call("lm/provideLanguageModelChatResponse", { modelId: "m", agent, messages: [hello] });
      const prompted = await stage.agent.prompt();
      outcomes.push(await prompted.permission({ title: "Delete", rawInput: { path: "a" } }));
      prompted.end();
      await answer;
    }
    assert.deepEqual(outcomes, ["selected once", "selected no", "selected no", "selected no", "selected no"]);
    assert.deepEqual(
      heard.find((entry) => Array.isArray(entry) && entry[0] === "lm/requestPermission"),
      ["lm/requestPermission", { requestId: 1, title: "Delete", rawInput: { path: "a" } }],
    );
  });

  it("names the member that cannot be read", async () => {
    const method = "lm/provideLanguageModelChatResponse";
    const faults = await Promise.all(
      [
        {},
        { modelId: "m", agent, messages: "Hello" },
        { modelId: "m", agent, messages: [{ role: "robot", content: [] }] },
        { modelId: "m", agent, messages: [{ role: "user", content: [{ type: "text" }] }] },
        { modelId: "m", agent, messages: [hello], options: { tools: [{}] } },
        { modelId: "m", agent, messages: [hello], exposure: "all" },
        { modelId: "m", agent: 7, messages: [hello] },
        { modelId: "m", agent: { name: "a", env: { KEY: "secret" } }, messages: [hello] },
        { modelId: "m", agent: { command: "a", env: "KEY=secret" }, messages: [hello] },
        { modelId: "m", agent: { command: "a", env: [["KEY", "secret"]] }, messages: [hello] },
        { modelId: "m", agent, messages: [hello], configOptions: { model: 7 } },
      ].map((params) => call(method, params)),
    );
    assert.deepEqual(
      faults.map((fault) => (fault as unknown[])[1]),
      [
        "Invalid params: messages: expected a list, got nothing.",
        'Invalid params: messages: expected a list, got "Hello".',
        'Invalid params: messages[0].role: expected "user", "assistant", "system", got "robot".',
        "Invalid params: messages[0].content[0].value: expected a text, got nothing.",
        "Invalid params: options.tools[0].name: expected a text, got nothing.",
        'Invalid params: exposure: expected "agent", "hybrid", "raw", got "all".',
        "Invalid params: agent: expected an object, got 7.",
        'Invalid params: agent: expected an agent\'s id, {"eliza": {}}, or an object with "command", "args" and "env", ' +
          'got an object with the members ["name","env"].',
        "Invalid params: agent.env: expected an object, got a text.",
        "Invalid params: agent.env[0]: expected an object, got a list.",
        "Invalid params: configOptions.model: expected a text, got 7.",
      ],
    );
  });

  it("answers what nobody knows, and fails with the message alone", async () => {
    assert.deepEqual(await call("lm/somethingElse", {}), [-32601, "Method not found: lm/somethingElse"]);
    stage.agent.failingStarts = 1;
    const failed = await call("lm/provideLanguageModelChatResponse", { modelId: "m", agent, messages: [hello] });
    assert.deepEqual(failed, [-32603, "It does not start."]);
    stage.agent.isSignedOut = true;
    const refused = await call("lm/provideLanguageModelChatResponse", { modelId: "m", agent, messages: [hello] });
    assert.equal((refused as unknown[])[0], -32000);
  });

  it("counts tokens", async () => {
    const counted = await Promise.all(
      ["", "four", "eightchr", "漢字"].map((text) => call("lm/provideTokenCount", { modelId: "m", text })),
    );
    assert.deepEqual(counted, [{ count: 1 }, { count: 1 }, { count: 2 }, { count: 2 }]);
  });
});
