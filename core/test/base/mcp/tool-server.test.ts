import assert from "node:assert/strict";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { type Tool, ToolServer } from "../../../src/base/mcp/tool-server.js";
import { Json } from "../../../src/base/rpc/json.js";

const greet: Tool = {
  name: "greet",
  title: "Greet",
  description: "Greets someone.",
  inputSchema: {
    properties: {
      name: { type: "string", minLength: 1 },
      times: { type: "integer", minimum: 1, maximum: 3 },
      tone: { enum: ["warm", "cold"] },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["name"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
  call: (args) => Promise.resolve(`Hello, ${String(args["name"])}!`),
};

function toolNamed(name: string, call: Tool["call"]): Tool {
  return { name, description: name, inputSchema: {}, call };
}

interface Answer {
  readonly isError: boolean;
  readonly value: unknown;
  readonly notes: readonly unknown[];
}

async function ask(
  server: ToolServer,
  method: string,
  params?: unknown,
  abort = new AbortController(),
): Promise<Answer> {
  const notes: unknown[] = [];
  const outcome = await server.call(method, params === undefined ? undefined : Json.of(params), {
    signal: abort.signal,
    notify: (name, note) => void notes.push([name, note?.value]),
  });
  return { isError: outcome.isError, value: JSON.parse(outcome.json.text), notes };
}

function serverOf(...tools: Tool[]): ToolServer {
  return new ToolServer({ name: "kit", version: "1.2.3", tools });
}

function failedWith(text: string): Answer {
  return { isError: false, value: { content: [{ type: "text", text }], isError: true }, notes: [] };
}

describe("ToolServer", () => {
  it("describes itself, with prompts only when it has some", async () => {
    const prompt = { name: "p", description: "P.", render: () => "text" };
    const full = new ToolServer({ name: "kit", version: "1", instructions: "Use it.", tools: [], prompts: [prompt] });
    assert.deepEqual(
      [await serverOf(greet).describe(), await full.describe()],
      [
        { serverInfo: { name: "kit", version: "1.2.3" }, capabilities: { tools: {} } },
        {
          serverInfo: { name: "kit", version: "1" },
          capabilities: { tools: {}, prompts: {} },
          instructions: "Use it.",
        },
      ],
    );
  });

  it("lists its tools in their order, with schemas that say they are objects", async () => {
    const { value } = await ask(
      serverOf(
        toolNamed("z", () => Promise.resolve("")),
        greet,
      ),
      "tools/list",
    );
    assert.deepEqual(value, {
      tools: [
        { name: "z", description: "z", inputSchema: { type: "object", properties: {} } },
        {
          name: "greet",
          title: "Greet",
          description: "Greets someone.",
          inputSchema: { ...greet.inputSchema, type: "object" },
          annotations: { readOnlyHint: true },
        },
      ],
    });
  });

  for (const [clientName, isMarked] of [
    ["claude-code", true],
    ["opencode", false],
  ] as const) {
    it(`has ${clientName} ${isMarked ? "show its tools at once" : "told nothing that it does not know"}`, async () => {
      const context = { signal: new AbortController().signal, clientName, notify: () => undefined };
      const { json } = await serverOf(greet).call("tools/list", undefined, context);
      assert.equal(json.text.includes("anthropic/alwaysLoad"), isMarked);
    });
  }

  it("runs a tool and answers its text", async () => {
    const answer = await ask(serverOf(greet), "tools/call", { name: "greet", arguments: { name: "Ada", times: 2 } });
    assert.deepEqual(answer, {
      isError: false,
      value: { content: [{ type: "text", text: "Hello, Ada!" }] },
      notes: [],
    });
  });

  it("passes a whole result on as the tool made it", async () => {
    const made = { content: [{ type: "text", text: "1" }], structuredContent: { n: 1 } };
    const server = serverOf(toolNamed("count", () => Promise.resolve(made)));
    assert.deepEqual((await ask(server, "tools/call", { name: "count" })).value, made);
  });

  const badArguments: [what: string, args: unknown, text: string][] = [
    ["a missing argument", {}, "name: missing, expected a string of at least 1 character."],
    ["a wrong type", { name: 7 }, "name: expected a string of at least 1 character, got 7."],
    ["a fraction", { name: "a", times: 1.5 }, "times: expected an integer of at least 1 and at most 3, got 1.5."],
    [
      "a number out of range",
      { name: "a", times: 4 },
      "times: expected an integer of at least 1 and at most 3, got 4.",
    ],
    ["an empty string", { name: "" }, 'name: expected a string of at least 1 character, got "".'],
    ["a value outside a choice", { name: "a", tone: "hot" }, 'tone: expected one of "warm", "cold", got "hot".'],
    ["a wrong item", { name: "a", tags: ["x", null] }, "tags[1]: expected a string, got null."],
    ["arguments that are no object", [1], "arguments: expected an object, got [1]."],
    [
      "an unknown argument, even one that every object has",
      { name: "a", constructor: 1 },
      "constructor: unknown, got 1; expected only name, times, tone, tags.",
    ],
    [
      "several faults at once",
      { times: 0, tone: 1 },
      "name: missing, expected a string of at least 1 character.\n" +
        "times: expected an integer of at least 1 and at most 3, got 0.\n" +
        'tone: expected one of "warm", "cold", got 1.',
    ],
  ];
  for (const [what, args, text] of badArguments) {
    it(`refuses ${what} with a result that names argument, value and expectation`, async () => {
      assert.deepEqual(await ask(serverOf(greet), "tools/call", { name: "greet", arguments: args }), failedWith(text));
    });
  }

  it("answers an unknown tool with -32602 and the names it has", async () => {
    assert.deepEqual(await ask(serverOf(greet), "tools/call", { name: "toString" }), {
      isError: true,
      value: { code: -32602, message: 'MCP server "kit" has no tool "toString". It has: greet.' },
      notes: [],
    });
  });

  it("turns what a tool throws into a failed result with message and hint, without a stack", async () => {
    const server = serverOf(
      toolNamed("bad", () => Promise.reject(new SymposiumError("invalid-arguments", "No such crate.", "Try another."))),
      toolNamed("worse", () => {
        throw new TypeError("x is not a function");
      }),
    );
    assert.deepEqual(await ask(server, "tools/call", { name: "bad" }), failedWith("No such crate. Try another."));
    assert.deepEqual(await ask(server, "tools/call", { name: "worse" }), failedWith("x is not a function"));
  });

  it("sends progress that rises, under the caller's token, and none after the answer", async () => {
    let late = (): void => undefined;
    const tool = toolNamed("slow", (_args, context) => {
      context.progress("none", 0, 10);
      context.progress("one");
      context.progress("two", 5, 10);
      context.progress("back", 4, 10);
      context.progress("three");
      late = () => context.progress("late", 9);
      return Promise.resolve("done");
    });
    const server = serverOf(tool);
    const { notes } = await ask(server, "tools/call", { name: "slow", _meta: { progressToken: 0 } });
    late();
    assert.deepEqual(notes, [
      ["notifications/progress", { progressToken: 0, progress: 0, total: 10, message: "none" }],
      ["notifications/progress", { progressToken: 0, progress: 1, message: "one" }],
      ["notifications/progress", { progressToken: 0, progress: 5, total: 10, message: "two" }],
      ["notifications/progress", { progressToken: 0, progress: 6, message: "three" }],
    ]);
    assert.deepEqual((await ask(server, "tools/call", { name: "slow" })).notes, []);
  });

  it("hands the caller's cancellation to the tool and answers -32800", async () => {
    const abort = new AbortController();
    const tool = toolNamed("wait", (_args, { signal }) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")));
        queueMicrotask(() => abort.abort());
      });
    });
    const answer = await ask(serverOf(tool), "tools/call", { name: "wait" }, abort);
    assert.deepEqual(answer, { isError: true, value: { code: -32800, message: "Request cancelled" }, notes: [] });
  });

  it("lists and renders prompts, and checks their arguments", async () => {
    const server = new ToolServer({
      name: "kit",
      version: "1",
      tools: [],
      prompts: [
        {
          name: "review",
          description: "Reviews a file.",
          arguments: [{ name: "file", description: "A path.", required: true }],
          render: ({ file }) => `Review ${String(file)}.`,
        },
      ],
    });
    assert.deepEqual((await ask(server, "prompts/list")).value, {
      prompts: [
        {
          name: "review",
          description: "Reviews a file.",
          arguments: [{ name: "file", description: "A path.", required: true }],
        },
      ],
    });
    assert.deepEqual((await ask(server, "prompts/get", { name: "review", arguments: { file: "a.ts" } })).value, {
      description: "Reviews a file.",
      messages: [{ role: "user", content: { type: "text", text: "Review a.ts." } }],
    });
    assert.deepEqual((await ask(server, "prompts/get", { name: "review" })).value, {
      code: -32602,
      message: "file: missing, expected a string.",
    });
    assert.deepEqual((await ask(server, "prompts/get", { name: "none" })).value, {
      code: -32602,
      message: 'MCP server "kit" has no prompt "none". It has: review.',
    });
  });

  for (const method of ["prompts/list", "prompts/get", "resources/list", "server/discover"]) {
    it(`answers ${method}, which it does not offer, with -32601`, async () => {
      const { isError, value } = await ask(serverOf(greet), method);
      assert.deepEqual([isError, value], [true, { code: -32601, message: `Method not found: ${method}` }]);
    });
  }

  it("refuses two tools of one name", () => {
    assert.throws(
      () => serverOf(greet, greet),
      new SymposiumError(
        "invalid-component",
        'MCP server "kit" has two tools named "greet".',
        "Give them different names.",
      ),
    );
  });
});
