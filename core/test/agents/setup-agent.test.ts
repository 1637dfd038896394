import assert from "node:assert/strict";
import { Outcome, Request } from "../../src/base/rpc/message.js";
import { offered, received, SetupStage } from "./setup-stage.js";

const list = [
  "Which agent would you like to use?",
  "",
  "1. **Alpha Agent**: the first (npx downloads it on first start; needs a key)",
  "2. **Beta**: the second (found on PATH)",
  "3. **Kiro**: the third (`kiro` is not on PATH: install it first)",
  "",
  "Type a number (1-3) to select:",
].join("\n");

const broken = {
  kind: "broken",
  file: "/home/me/.symposium/config.jsonc",
  problems: [{ line: 3, column: 14, message: "Expected a comma.", hint: "Add one." }],
} as const;

describe("the setup agent", () => {
  it("offers an authentication method of type terminal and capabilities of its own", async () => {
    const outcome = await new SetupStage().ask("initialize", { protocolVersion: 1 });
    assert.deepEqual(outcome.json.value, {
      protocolVersion: 1,
      agentInfo: { name: "symposium", title: "Symposium", version: "1.2.3" },
      agentCapabilities: {
        loadSession: false,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { close: {} },
      },
      authMethods: [
        {
          id: "symposium-setup",
          name: "Set up Symposium",
          description: "Choose the agent that Symposium runs",
          type: "terminal",
          args: ["setup"],
        },
      ],
    });
  });

  it("authenticates once there is a configuration, and says before that how to make one", async () => {
    const stage = new SetupStage();
    const before = await stage.ask("authenticate", { methodId: "symposium-setup" });
    stage.found = "ok";
    const after = await stage.ask("authenticate", { methodId: "symposium-setup" });
    const other = await stage.ask("authenticate", { methodId: "oauth" });
    assert.deepEqual(
      [before.json.object, after, other.json.object],
      [
        {
          code: -32000,
          message:
            "Symposium is not set up yet. Run `symposium-acp-agent setup` in a terminal, or open a session and type the number of an agent in the chat.",
        },
        Outcome.of({}),
        { code: -32602, message: 'Invalid params: methodId must be "symposium-setup", got "oauth"' },
      ],
    );
  });

  it("greets after the answer to session/new, never before", async () => {
    const stage = new SetupStage();
    const events: string[] = [];
    stage.fromClient.request(Request.of("session/new", { cwd: "/", mcpServers: [] }), () => {
      events.push(`answered with ${stage.client.received.length} updates before`);
    });
    events.push(`returned with ${stage.client.received.length}`);
    await stage.client.waitFor("session/update");
    assert.deepEqual(
      [events, stage.client.text],
      [
        ["answered with 0 updates before", "returned with 0"],
        `Welcome to Symposium!\n\nNo configuration found. Let's set up your AI agent.\n\n${list}`,
      ],
    );
  });

  it("does not greet a session whose user was faster", async () => {
    const stage = new SetupStage();
    const opened = await stage.ask("session/new", { cwd: "/", mcpServers: [] });
    const answer = await stage.answer(String(opened.json.object?.["sessionId"]), "beta");
    assert.equal(answer.text.includes("Welcome"), false);
    assert.equal(answer.text.includes("You are now talking to Beta."), true);
  });

  for (const [text, why] of [
    ["0", "0 isn't in the list. Choose a number from 1 to 3."],
    ["4", "4 isn't in the list. Choose a number from 1 to 3."],
    ["fix my code", "That isn't in the list. Choose an agent first, so that Symposium can answer."],
    ["", "Please answer with a number."],
  ] as const) {
    it(`repeats the question after ${JSON.stringify(text)}, and saves nothing`, async () => {
      const stage = new SetupStage();
      const id = await stage.open();
      const opening = "Welcome to Symposium!\n\nNo configuration found. Let's set up your AI agent.";
      assert.deepEqual(await stage.answer(id, text), {
        text: `${why}\n\n${opening}\n\n${list}\n\n`,
        stopReason: "end_turn",
      });
      assert.deepEqual([stage.saved, stage.chains], [[], []]);
    });
  }

  it("saves the choice, says so, and goes on as the chosen agent", async () => {
    const stage = new SetupStage();
    const id = await stage.open();
    assert.deepEqual(await stage.answer(id, "1"), {
      text: [
        "Saved `/home/me/.symposium/config.jsonc`:\n\n- agent: Alpha Agent (`npx -y alpha`)\n- extensions: sparkle, cargo",
        "Starting Alpha Agent. The first start downloads it, which may take a minute.",
        "You are now talking to Alpha Agent.\n\n",
      ].join("\n\n"),
      stopReason: "end_turn",
    });
    assert.deepEqual([stage.saved, stage.chain.chosen?.id], [["npx -y alpha"], "alpha"]);
  });

  it("keeps the meaning of the numbers that a session was shown", async () => {
    let agents = offered;
    const stage = new SetupStage({ agents: () => Promise.resolve(agents) });
    const id = await stage.open();
    agents = [...offered].reverse();
    await stage.answer(id, "1");
    assert.deepEqual(stage.saved, ["npx -y alpha"]);
  });

  it("says file, line, column and remedy of a broken configuration", async () => {
    const stage = new SetupStage({ reason: broken });
    await stage.ask("session/new", { cwd: "/", mcpServers: [] });
    await stage.client.waitFor("session/update");
    assert.equal(
      stage.client.text,
      [
        "Symposium cannot use its configuration:",
        "- `/home/me/.symposium/config.jsonc:3:14`: Expected a comma. Add one.",
        "Correct the file and type `retry`, or choose an agent below: Symposium then keeps this file beside the new one as `config.jsonc.broken-<number>`.",
        list,
      ].join("\n\n"),
    );
  });

  it("reads a broken configuration again on retry, and says what is still wrong", async () => {
    const stage = new SetupStage({ reason: broken });
    const id = await stage.open();
    stage.found = { ...broken, problems: [{ line: 9, column: 1, message: "Still broken." }] };
    const still = await stage.answer(id, "retry");
    stage.found = "ok";
    const fixed = await stage.answer(id, "Retry");
    assert.equal(still.text.includes("config.jsonc:9:1`: Still broken."), true);
    assert.deepEqual(
      [fixed, stage.chain.chosen, stage.saved],
      [{ text: "You are now talking to Inner Agent.\n\n", stopReason: "end_turn" }, undefined, []],
    );
  });

  it("hands a prompt to the configured agent when the configuration has come by itself", async () => {
    const stage = new SetupStage();
    const id = await stage.open();
    stage.found = "ok";
    assert.deepEqual(await stage.answer(id, "fix my code"), { text: "", stopReason: "end_turn" });
    assert.deepEqual(received(stage.chain.fromClient).at(-1), [
      "session/prompt",
      { sessionId: "inner-1", prompt: [{ type: "text", text: "fix my code" }] },
    ]);
  });

  it("says in a session opened after a terminal set-up that its next message goes to the agent", async () => {
    const stage = new SetupStage();
    stage.found = "ok";
    await stage.ask("session/new", { cwd: "/", mcpServers: [] });
    await stage.client.waitFor("session/update");
    assert.equal(
      stage.client.text,
      "Symposium has found its configuration. Your next message goes to the configured agent.",
    );
  });

  it("asks again when the configuration cannot be saved, and starts nothing", async () => {
    const stage = new SetupStage({ save: () => Promise.reject(new Error("EROFS: read-only file system")) });
    const id = await stage.open();
    assert.deepEqual(await stage.answer(id, "2"), {
      text: `The configuration could not be saved: EROFS: read-only file system\n\n${list}\n\n`,
      stopReason: "end_turn",
    });
    assert.deepEqual(stage.chains, []);
  });

  it("ends the turn with the reason when the agents cannot be listed", async () => {
    const stage = new SetupStage({ agents: () => Promise.reject(new Error("no PATH")) });
    const id = await stage.open();
    assert.deepEqual(await stage.answer(id, "1"), { text: "no PATH\n\n", stopReason: "end_turn" });
  });

  it("refuses, while there is no agent, what only an agent could do", async () => {
    const stage = new SetupStage();
    const id = await stage.open();
    const codes = [];
    for (const [method, params] of [
      ["session/load", { sessionId: "old", cwd: "/", mcpServers: [] }],
      ["session/set_mode", { sessionId: id, modeId: "x" }],
      ["session/prompt", { sessionId: "unknown", prompt: [] }],
      ["_vendor/thing", {}],
    ] as const) {
      codes.push((await stage.ask(method, params)).json.object?.["code"]);
    }
    assert.deepEqual(codes, [-32601, -32601, -32002, -32601]);
  });

  it("closes its own session, and tells nobody about it afterwards", async () => {
    const stage = new SetupStage();
    const id = await stage.open();
    const closed = await stage.ask("session/close", { sessionId: id });
    const prompt = await stage.prompt(id, "1");
    assert.deepEqual([closed.json.value, prompt.json.object?.["code"]], [{}, -32002]);
  });

  it("drops notifications while there is no agent", () => {
    const stage = new SetupStage();
    stage.notify("session/cancel", { sessionId: "unknown" });
    stage.notify("_vendor/note", {});
    assert.deepEqual(stage.client.received, []);
  });
});
