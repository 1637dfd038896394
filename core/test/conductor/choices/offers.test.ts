import assert from "node:assert/strict";
import { choiceCommands } from "../../../src/conductor/choices/choice-commands.js";
import { agentOptionId, choiceOptions } from "../../../src/conductor/choices/choice-options.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Request } from "../../../src/base/rpc/message.js";
import { sampleConfigOptions } from "../../../testing/sample-updates.js";
import { PlayedAgent } from "../chain/chain-fixture.js";
import { ChainsStage, offer, settled, valuesOf } from "./chains-stage.js";

const scope = "Applies to new sessions, and to this one until its first prompt.";
const agentOption = {
  id: agentOptionId,
  name: "Agent",
  description: `The agent behind Symposium. ${scope}`,
  type: "select",
  currentValue: "alpha",
  options: [
    { value: "alpha", name: "Alpha", description: "The first." },
    { value: "beta", name: "Beta", description: "The second." },
  ],
};
const ferris = { id: "symposium.proxy.ferris", name: "ferris", description: `Knows crates. ${scope}` };
const ownCommands = [
  "symposium:config",
  "symposium:agent",
  "symposium:continue",
  "symposium:proxies",
  "symposium:guard",
];

const legacy = {
  modes: {
    currentModeId: "ask",
    availableModes: [
      { id: "ask", name: "Ask" },
      { id: "code", name: "Code" },
    ],
  },
  models: {
    currentModelId: "m1",
    availableModels: [{ modelId: "m1", name: "One", description: "Small" }, { modelId: "m2" }],
  },
};

function namesOf(update: Readonly<Record<string, unknown>> | undefined): unknown[] {
  const commands = update?.["availableCommands"];
  return Array.isArray(commands) ? commands.map((command: unknown) => Json.of(command).object?.["name"]) : [];
}

describe("Chains, in what they offer", () => {
  it("put agent and proxies behind the agent's own options, whichever way a session is opened", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const expected = [...sampleConfigOptions, agentOption, { ...ferris, type: "boolean", currentValue: true }];
    for (const [method, params] of [
      ["session/new", { cwd: "/w", mcpServers: [] }],
      ["session/load", { sessionId: "old", cwd: "/w", mcpServers: [] }],
      ["session/resume", { sessionId: "older", cwd: "/w", mcpServers: [] }],
    ] as const) {
      const { configOptions } = await stage.result(method, params);
      assert.deepEqual(configOptions, expected, method);
    }
  });

  it("offer On and Off to a client that takes no booleans", async () => {
    const stage = new ChainsStage();
    await stage.initialize({});
    const { configOptions } = await stage.result("session/new", { cwd: "/w", mcpServers: [] });
    const options = [
      { value: "on", name: "On", description: "Active in the session." },
      { value: "off", name: "Off", description: "Is left out." },
    ];
    assert.deepEqual((configOptions as unknown[]).at(-1), { ...ferris, type: "select", currentValue: "on", options });
    const outcome = await stage.choose("session-1", "off", "symposium.proxy.ferris");
    assert.equal(valuesOf(outcome.json.object?.["configOptions"])["symposium.proxy.ferris"], "off");
  });

  it("offer no choice of the agent where there is but one", () => {
    const single = { ...offer, agents: offer.agents.slice(0, 1) };
    const options = choiceOptions(single, { agent: "alpha", proxies: new Set() }, true);
    assert.deepEqual(
      [options.map(({ object }) => object?.["id"]), choiceCommands(single).map(({ object }) => object?.["name"])],
      [["symposium.proxy.ferris"], ["symposium:config", "symposium:proxies", "symposium:guard"]],
    );
  });

  it("refuse values that are none, and name those that are", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    const messages = await Promise.all(
      [
        stage.choose(sessionId, "gamma"),
        stage.choose(sessionId, "yes", "symposium.proxy.ferris"),
        stage.choose(sessionId, true, "symposium.proxy.unknown"),
      ].map(async (choosing) => (await choosing).json.object?.["message"]),
    );
    assert.deepEqual(messages, [
      `Invalid params: "symposium.agent" can't be "gamma". Use one of: alpha, beta.`,
      `Invalid params: "symposium.proxy.ferris" can't be "yes". Use one of: on, off.`,
      'Invalid params: unknown config option "symposium.proxy.unknown". Options: symposium.agent, symposium.proxy.ferris.',
    ]);
  });

  it("pass the agent's own options on to it, and add theirs to the answer", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const outcome = await stage.choose(await stage.session(), "large", "model");
    assert.deepEqual(valuesOf(outcome.json.object?.["configOptions"]), {
      model: "large",
      verbose: false,
      "symposium.agent": "alpha",
      "symposium.proxy.ferris": true,
    });
  });

  it("add theirs to the lists that the agent sends later", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const sessionId = await stage.session();
    await stage.prompt(sessionId, "updates");
    const updates = stage.client.updates;
    const options = updates.find((update) => update["sessionUpdate"] === "config_option_update");
    const commands = updates.find((update) => update["sessionUpdate"] === "available_commands_update");
    assert.deepEqual(
      [Object.keys(valuesOf(options?.["configOptions"])), namesOf(commands)],
      [
        ["model", "verbose", "symposium.agent", "symposium.proxy.ferris"],
        ["help", "echo", ...ownCommands],
      ],
    );
  });

  it("announce their commands after the answer that opens a session, also where the agent has none", async () => {
    const stage = new ChainsStage();
    await stage.initialize();
    const heard: unknown[] = [];
    stage.client.notify = ({ params }) => void heard.push(namesOf(Json.of(params?.object?.["update"]).object));
    const request = Request.of("session/new", { cwd: "/w", mcpServers: [] });
    stage.chains.fromClient.request(request, () => void heard.push("answer"));
    await settled();
    assert.deepEqual(heard, ["answer", ownCommands]);
  });

  it("leave every other message of a single chain as the very object that it was", async () => {
    const agent = new PlayedAgent();
    const stage = new ChainsStage({ agents: { alpha: agent } });
    await stage.initialize();
    await stage.session();
    const seen: unknown[] = [];
    stage.client.notify = (notification) => void seen.push(notification);
    const params = { sessionId: "s", update: { sessionUpdate: "plan", entries: [] } };
    const update = Notification.of("session/update", params);
    agent.client.notify(update);
    assert.equal(seen[0], update);
  });
});

describe("Chains before an agent with modes and models", () => {
  const agent = (): PlayedAgent =>
    new PlayedAgent({
      "session/new": { sessionId: "s", ...legacy },
      "session/set_mode": {},
      "session/set_model": {},
    });

  it("offer both as config options, and leave the older members as they were", async () => {
    const stage = new ChainsStage({ agents: { alpha: agent() } });
    await stage.initialize();
    const { configOptions, modes, models } = await stage.result("session/new", { cwd: "/w", mcpServers: [] });
    const [mode, model, ...ours] = configOptions as unknown[];
    assert.deepEqual(
      [mode, model, ours.length, { modes, models }],
      [
        {
          id: "mode",
          name: "Mode",
          category: "mode",
          type: "select",
          currentValue: "ask",
          options: [
            { value: "ask", name: "Ask" },
            { value: "code", name: "Code" },
          ],
        },
        {
          id: "model",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: "m1",
          options: [
            { value: "m1", name: "One", description: "Small" },
            { value: "m2", name: "m2" },
          ],
        },
        2,
        legacy,
      ],
    );
  });

  it("set them by the older requests", async () => {
    const played = agent();
    const stage = new ChainsStage({ agents: { alpha: played } });
    await stage.initialize();
    const sessionId = await stage.session();
    const outcomes = [await stage.choose(sessionId, "code", "mode"), await stage.choose(sessionId, "m2", "model")];
    assert.deepEqual(
      outcomes.map(({ json }) => valuesOf(json.object?.["configOptions"])),
      [
        { mode: "code", model: "m1", "symposium.agent": "alpha", "symposium.proxy.ferris": true },
        { mode: "code", model: "m2", "symposium.agent": "alpha", "symposium.proxy.ferris": true },
      ],
    );
    assert.deepEqual(
      played.peer.received.slice(-2).map(({ method, params }) => [method, params?.value]),
      [
        ["session/set_mode", { sessionId, modeId: "code" }],
        ["session/set_model", { sessionId, modelId: "m2" }],
      ],
    );
  });

  it("refuse a mode that there is not, and name those that there are", async () => {
    const stage = new ChainsStage({ agents: { alpha: agent() } });
    await stage.initialize();
    const outcome = await stage.choose(await stage.session(), "fly", "mode");
    assert.equal(outcome.json.object?.["message"], `Invalid params: "mode" can't be "fly". Use one of: ask, code.`);
  });

  it("tell the client of a mode that the agent has changed by itself, in both ways", async () => {
    const played = agent();
    const stage = new ChainsStage({ agents: { alpha: played } });
    await stage.initialize();
    const sessionId = await stage.session();
    const update = { sessionUpdate: "current_mode_update", currentModeId: "code" };
    played.client.notify(Notification.of("session/update", { sessionId, update }));
    const [first, second] = stage.client.updates;
    assert.deepEqual([first, valuesOf(second?.["configOptions"])["mode"]], [update, "code"]);
  });
});
