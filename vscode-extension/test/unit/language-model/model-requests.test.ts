import assert from "node:assert/strict";
import { type LmPart, Logger, type ModelInformation } from "@symposium-dev/core";
import { ModelCatalogue } from "../../../src/features/language-model/model-catalogue.js";
import { ModelRequests } from "../../../src/features/language-model/model-requests.js";
import { ModelService, vscodelmCommand } from "../../../src/features/language-model/model-service.js";
import { parseSettings } from "../../../src/features/settings/settings-table.js";
import { MemoryStorage } from "../permissions/permission-fixture.js";
import { type StubCall, StubProcesses } from "./stub-process.js";

const fast: ModelInformation = {
  id: "mine/fast",
  name: "Fast",
  family: "mine",
  version: "1",
  maxInputTokens: 1_000,
  maxOutputTokens: 100,
  capabilities: { toolCalling: true, imageInput: true },
  agentId: "mine",
  configOptions: { model: "fast" },
};

function answerYes(call: StubCall): void {
  call.part({ type: "text", value: "yes" });
  call.answer({});
}

/** Requests over a process that the test plays; it knows the model `fast`. */
function fixture(
  settings: Readonly<Record<string, unknown>> = {},
  prepare?: (agentId: string) => Promise<void>,
  answer = answerYes,
) {
  const stub = new StubProcesses((call: StubCall) => {
    if (call.method === "lm/provideLanguageModelChatInformation") call.answer({ models: [fast] });
    else answer(call);
  });
  const service = new ModelService({
    command: () => ({ command: "node", args: [], env: {} }),
    startProcess: stub.start,
    askPermission: () => Promise.resolve({ outcome: "reject" }),
    logger: Logger.silent,
    wait: () => Promise.resolve(),
    now: () => 0,
  });
  const agents = [{ id: "mine", name: "Mine" }];
  let changed: () => void = () => undefined;
  const catalogue = new ModelCatalogue(
    () => ({ agents, currentId: undefined, chosen: [] }),
    new MemoryStorage(),
    () => changed(),
  );
  const requests = new ModelRequests({
    catalogue,
    service,
    settings: () => parseSettings((key) => settings[key]).settings,
    folder: () => "/project",
    prepare: async (agentId) => {
      await prepare?.(agentId);
      return { name: "Mine", spec: `{"command":"${agentId}"}` };
    },
    onProblem: (thrown) => assert.fail(String(thrown)),
  });
  const ask = async (modelId: string, signal = new AbortController().signal): Promise<readonly LmPart[]> => {
    const parts: LmPart[] = [];
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, value: "Hi" }] }];
    await requests.respond({ modelId, messages, conversationId: "c" }, (part) => parts.push(part), signal);
    return parts;
  };
  /** Resolves when the models are others. */
  const changes = (): Promise<void> => new Promise((resolve) => (changed = resolve));
  return { stub, service, catalogue, requests, ask, changes };
}

describe("a request to a model", () => {
  it("brings the MCP servers of the settings, as does the question for an agent's models", async () => {
    const mcpServers = { clock: { command: "clock-mcp" } };
    const { service, stub, requests, ask } = fixture({ mcpServers });
    await using _service = service;
    await requests.refresh(["mine"]);
    await ask("mine/fast");
    const sent = stub.calls.map(({ method, params }) => [method, params["mcpServers"]]);
    assert.deepEqual(sent.slice(0, 2), [
      ["lm/provideLanguageModelChatInformation", mcpServers],
      ["lm/provideLanguageModelChatResponse", mcpServers],
    ]);
  });

  it("names the agent, the folder and what the settings say", async () => {
    const { service, stub, ask } = fixture({
      languageModelExposure: { mine: "raw" },
      languageModelSystemPrompt: "drop",
    });
    await using _service = service;
    assert.deepEqual(await ask("mine"), [{ type: "text", value: "yes" }]);
    const [call] = stub.calls;
    assert.deepEqual(call?.params, {
      modelId: "mine",
      agent: '{"command":"mine"}',
      messages: [{ role: "user", content: [{ type: "text", value: "Hi" }] }],
      options: {},
      conversationId: "c",
      folder: "/project",
      exposure: "raw",
      systemPrompt: "drop",
      requestId: "1",
    });
  });

  it("leaves to the process what becomes of the system message, where the settings say nothing of it", async () => {
    const { service, stub, ask } = fixture();
    await using _service = service;
    await ask("mine");
    assert.equal(stub.calls[0]?.params["systemPrompt"], undefined);
  });

  it("has the options that make the model", async () => {
    const { service, stub, catalogue, ask } = fixture();
    await using _service = service;
    await catalogue.learn([fast]);
    await ask("mine/fast");
    assert.deepEqual(stub.calls[0]?.params["configOptions"], { model: "fast" });
  });

  it("starts nothing where the user does not want the agent installed", async () => {
    const { service, stub, catalogue, ask } = fixture({}, () => Promise.reject(new Error("Mine is not installed.")));
    await using _service = service;
    await assert.rejects(ask("mine"), { message: "Mine is not installed." });
    assert.deepEqual([stub.starts, catalogue.isUsed("mine")], [[], false]);
  });

  it("to an agent that nobody has signed in to says where to do that", async () => {
    const { service, ask } = fixture({}, undefined, (call) => call.refuse("No key", -32_000));
    await using _service = service;
    await assert.rejects(ask("mine"), { message: "Mine wants you to sign in.", hint: /"Symposium: New Chat"/ });
  });

  it("to a model that is gone says what to do", async () => {
    const { service, ask } = fixture();
    await using _service = service;
    await assert.rejects(ask("other"), {
      message: 'The model "other" is no longer available.',
      hint: /Manage Language Models/,
    });
  });

  it("for want of an agent says where to choose one", async () => {
    const { service, ask } = fixture();
    await using _service = service;
    await assert.rejects(ask(""), { message: "No agent is selected.", hint: /"Symposium: Select Agent"/ });
  });

  it("teaches which models the agent has, once and without starting anything", async () => {
    const { service, stub, catalogue, ask, changes } = fixture();
    await using _service = service;
    await ask("mine");
    while (catalogue.models[0]?.id !== fast.id) await changes();
    await ask("mine/fast");
    const asked = stub.calls.filter(({ method }) => method === "lm/provideLanguageModelChatInformation");
    assert.deepEqual(
      asked.map(({ params }) => params),
      [{ silent: true, agents: [{ id: "mine", name: "Mine", agent: '{"command":"mine"}' }], folder: "/project" }],
    );
    assert.equal(catalogue.isUsed("mine"), true);
  });

  it("for the models of agents goes on where one of them cannot be had", async () => {
    const { service, catalogue, requests } = fixture({}, (agentId) =>
      agentId === "other" ? Promise.reject(new Error("Other is not installed.")) : Promise.resolve(),
    );
    await using _service = service;
    assert.deepEqual(await requests.refresh(["other", "mine"]), ["Other is not installed."]);
    assert.deepEqual(catalogue.models, [fast]);
  });

  it("for the models of agents starts those that the user named", async () => {
    const { service, stub, catalogue, requests } = fixture();
    await using _service = service;
    assert.deepEqual(await requests.refresh(["mine"]), []);
    assert.deepEqual(stub.calls[0]?.params["silent"], false);
    assert.deepEqual(catalogue.models, [fast]);
  });
});

describe("the command of the process", () => {
  it("has the extensions, the logging and the trace of the settings, and vouches for the workspace", () => {
    const { settings } = parseSettings(
      (key) =>
        ({
          extensions: [{ id: "sparkle" }, { id: "cargo", _enabled: false }],
          agentLogLevel: "debug",
          traceDir: "/traces",
        })[key as string],
    );
    const command = { command: "node", args: ["main.mjs"], env: { A: "b" } };
    assert.deepEqual(vscodelmCommand(command, settings, "/project", ["/project"]), {
      command: "node",
      args: [
        ...["main.mjs", "vscodelm", "--proxy", "sparkle", "--trusted-folder", "/project"],
        ...["--log", "debug", "--trace-dir", "/traces"],
      ],
      env: { A: "b" },
      cwd: "/project",
    });
  });
});
