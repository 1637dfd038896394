import assert from "node:assert/strict";
import { Json } from "../../src/base/rpc/json.js";
import { Notification, Outcome, Request } from "../../src/base/rpc/message.js";
import { ask, type Cancel, type Peer } from "../../src/base/rpc/peer.js";
import type { RecordingPeer } from "../../testing/recording-peer.js";
import { scriptCommandNames } from "../../testing/script.js";
import { ScriptedAgent, type ScriptedAgentOptions } from "../../testing/scripted-agent.js";
import {
  scriptedClient,
  scriptedClientCapabilities,
  type ScriptedClientOptions,
} from "../../testing/scripted-client.js";

interface Stage {
  readonly client: RecordingPeer;
  readonly agent: Peer;
  readonly prompt: (script: string) => Promise<Outcome>;
  /** Starts a turn without waiting for it. */
  readonly start: (script: string) => { answer: Promise<Outcome>; cancel: Cancel };
}

const mcpServers = [
  { name: "files", command: "files-server", args: ["-v"], env: [{ name: "TOKEN", value: "secret-1" }] },
  {
    type: "http",
    name: "web",
    url: "http://127.0.0.1/mcp?key=secret-2",
    headers: [{ name: "Authorization", value: "Bearer secret-3" }],
  },
  { type: "acp", name: "near", serverId: "server-1" },
];

async function stage(clientOptions: ScriptedClientOptions = {}, options: ScriptedAgentOptions = {}): Promise<Stage> {
  const client = scriptedClient(clientOptions);
  const agent = new ScriptedAgent(options).connect(client).fromClient;
  const clientCapabilities = scriptedClientCapabilities;
  await ask(agent, Request.of("initialize", { protocolVersion: 1, clientCapabilities }));
  await ask(agent, Request.of("session/new", { cwd: "/project", mcpServers }));
  const request = (text: string): Request =>
    Request.of("session/prompt", { sessionId: "session-1", prompt: [{ type: "text", text }] });
  return {
    client,
    agent,
    prompt: (script) => ask(agent, request(script)),
    start(script) {
      let cancel: Cancel = () => undefined;
      const answer = new Promise<Outcome>((resolve) => (cancel = agent.request(request(script), resolve)));
      return { answer, cancel };
    },
  };
}

const endTurn = { stopReason: "end_turn" };

describe("ScriptedAgent", () => {
  it("answers initialize with its options, and refuses everything before", async () => {
    const client = scriptedClient();
    const capabilities = { loadSession: false, mcpCapabilities: { http: false, sse: false } };
    const agent = new ScriptedAgent({ name: "other", protocolVersion: 7, capabilities }).connect(client).fromClient;
    const early = await ask(agent, Request.of("session/new", {}));
    const { json } = await ask(agent, Request.of("initialize", { protocolVersion: 1 }));
    assert.equal(early.json.object?.["code"], -32600);
    assert.deepEqual(
      { version: json.object?.["protocolVersion"], info: json.object?.["agentInfo"] },
      { version: 7, info: { name: "other", title: "Scripted agent", version: "1.0.0" } },
    );
    const answered = Json.of(json.object?.["agentCapabilities"]).object;
    assert.deepEqual([answered?.["loadSession"], answered?.["mcpCapabilities"]], [false, { http: false, sse: false }]);
    assert.deepEqual(answered?.["promptCapabilities"], { image: true, audio: true, embeddedContext: true });
  });

  it("refuses sessions with -32000 until it is authenticated", async () => {
    const agent = new ScriptedAgent({ authRequired: true }).connect(scriptedClient()).fromClient;
    const codes: unknown[] = [];
    const steps = [
      Request.of("initialize", {}),
      Request.of("session/new", { cwd: "/" }),
      Request.of("authenticate", { methodId: "wrong" }),
      Request.of("authenticate", { methodId: "scripted" }),
      Request.of("session/new", { cwd: "/" }),
      Request.of("logout", {}),
      Request.of("session/new", { cwd: "/" }),
    ];
    for (const request of steps) codes.push((await ask(agent, request)).json.object?.["code"]);
    assert.deepEqual(codes, [undefined, -32000, -32602, undefined, undefined, undefined, -32000]);
  });

  it("tells all that it received as raw text", async () => {
    const { agent } = await stage();
    agent.notify(new Notification("_x/note", Json.ofText('{"n":18446744073709551615}')));
    await ask(agent, new Request("_x/ask"));
    const { text } = (await ask(agent, new Request("_test/received"))).json;
    const tail =
      '{"kind":"notification","method":"_x/note","params":{"n":18446744073709551615}},{"kind":"request","method":"_x/ask"}]}';
    assert.equal(text.slice(-tail.length), tail);
  });

  it("opens, replays, lists, changes and closes sessions", async () => {
    const { agent, client } = await stage();
    const answers: unknown[] = [];
    const steps: [string, object][] = [
      ["session/load", { sessionId: "old", cwd: "/old", mcpServers: [] }],
      ["session/fork", { sessionId: "old", cwd: "/fork", mcpServers: [] }],
      ["session/set_mode", { sessionId: "old", modeId: "code" }],
      ["session/close", { sessionId: "old" }],
      ["session/list", {}],
      ["session/set_mode", { sessionId: "old", modeId: "code" }],
      ["session/unknown", { sessionId: "session-1" }],
    ];
    for (const [method, params] of steps) {
      const { json } = await ask(agent, Request.of(method, params));
      answers.push(json.object?.["code"] ?? json.object?.["sessionId"] ?? Object.keys(json.object ?? {}));
    }
    assert.deepEqual(answers, [["modes", "configOptions"], "session-2", [], [], ["sessions"], -32002, -32601]);
    assert.deepEqual(
      client.updates.map((update) => update["sessionUpdate"]),
      ["user_message_chunk", "agent_message_chunk", "current_mode_update"],
    );
  });

  it("offers a boolean option only to clients that know the type", async () => {
    const types = async (clientCapabilities: object): Promise<unknown[]> => {
      const agent = new ScriptedAgent().connect(scriptedClient()).fromClient;
      await ask(agent, Request.of("initialize", { clientCapabilities }));
      const { json } = await ask(agent, Request.of("session/new", { cwd: "/" }));
      const options = json.object?.["configOptions"];
      return Array.isArray(options) ? options.map((option: unknown) => Json.of(option).object?.["type"]) : [];
    };
    assert.deepEqual(await types({}), ["select"]);
    assert.deepEqual(await types({ session: { configOptions: { boolean: {} } } }), ["select", "boolean"]);
  });
});

describe("the script language", () => {
  it("runs one command a line, and names one that it does not know", async () => {
    const { client, prompt } = await stage();
    assert.deepEqual((await prompt("echo one\n\n echo two three ")).json.value, endTurn);
    assert.equal(client.text, "one\ntwo three\n");
    assert.match((await prompt("dance")).json.text, /-32602.*\\"dance\\" is no command/);
  });

  it("lists every command", async () => {
    const { client, prompt } = await stage();
    await prompt("help");
    const listed = client.text.trimEnd().split("\n");
    assert.deepEqual(
      listed.map((line) => /^\w+/.exec(line)?.[0]),
      scriptCommandNames,
    );
  });

  it("streams chunks of the size asked for, numbered, within the request", async () => {
    const { client, start } = await stage();
    const { answer } = start("stream 3 6");
    assert.equal(client.text, "1 ....2 ....3 ....");
    assert.deepEqual((await answer).json.value, endTurn);
  });

  it("pauses a stream while the channel is congested", async () => {
    let tell: () => void = () => undefined;
    const flow = { isCongested: false, onCongestion: (listener: () => void) => (tell = listener) };
    const { client, start } = await stage({}, { flow });
    flow.isCongested = true;
    const { answer } = start("stream 2 2");
    assert.equal(client.text, "");
    flow.isCongested = false;
    tell();
    assert.deepEqual((await answer).json.value, endTurn);
    assert.equal(client.text, "1 2 ");
  });

  it("asks for permission and checks the answer", async () => {
    const allowing = await stage({ permits: "allow_once" });
    const rejecting = await stage({ permits: "reject_once" });
    const cancelling = await stage({ permits: "cancelled" });
    assert.deepEqual((await allowing.prompt("permission allow")).json.value, endTurn);
    assert.deepEqual((await rejecting.prompt("permission reject")).json.value, endTurn);
    assert.match((await rejecting.prompt("permission allow")).json.text, /expected allow, got reject_once/);
    assert.match((await cancelling.prompt("permission allow")).json.text, /expected allow, got no option/);
    assert.deepEqual(
      [allowing, rejecting].map(
        ({ client }) => client.updates.filter((update) => "status" in update).at(-1)?.["status"],
      ),
      ["completed", "failed"],
    );
  });

  it("reads a file and writes it in capitals, and says what fails", async () => {
    const files = new Map([["/a", "text"]]);
    const { client, prompt } = await stage({ files });
    await prompt("fs /a /b");
    assert.equal(files.get("/b"), "TEXT");
    await prompt("fs /missing /c");
    assert.match(
      client.text,
      /fs\/read_text_file result {"content":"text"}\n.*fs\/read_text_file error {"code":-32002/s,
    );
  });

  it("takes a terminal through its whole life", async () => {
    const { client, prompt } = await stage();
    await prompt("terminal node --version");
    assert.deepEqual(
      client.methods.filter((method) => method.startsWith("terminal/")),
      ["create", "output", "wait_for_exit", "output", "kill", "release"].map((name) => `terminal/${name}`),
    );
    const { command, args, cwd } = (await client.waitFor("terminal/create")).params?.object ?? {};
    assert.deepEqual({ command, args, cwd }, { command: "node", args: ["--version"], cwd: "/project" });
  });

  it("elicits a form and a URL", async () => {
    const { client, prompt } = await stage();
    await prompt("elicitation");
    const modes = client.received.map(({ method, params }) => `${method} ${String(params?.object?.["mode"])}`);
    assert.deepEqual(
      modes.filter((line) => line.startsWith("elicitation/")),
      ["elicitation/create form", "elicitation/create url", "elicitation/complete undefined"],
    );
  });

  it("sends vendor methods, and says how the client refuses them", async () => {
    const { client, prompt } = await stage();
    await prompt("callbacks");
    assert.deepEqual(client.methods.slice(0, 2), ["_test.example/remark", "_test.example/question"]);
    assert.match(client.text, /^_test.example\/question error {"code":-32601/);
  });

  it("keeps numbers as they are spelled", async () => {
    const { prompt } = await stage();
    assert.match(
      (await prompt("numbers")).json.text,
      /"u64":18446744073709551615,.*"float":1\.0,"exponent":1E3,"small":0\.10}/,
    );
  });

  it("ends with null, with an error and its data, with usage", async () => {
    const { prompt } = await stage();
    assert.equal((await prompt("null_result")).json.text, "null");
    assert.deepEqual((await prompt("error -32042 no luck today")).json.value, {
      code: -32042,
      message: "no luck today",
      data: { command: "error", details: ["first", { second: 2 }] },
    });
    assert.equal(Json.of((await prompt("usage")).json.object?.["usage"]).object?.["totalTokens"], 30);
  });

  it("says the session's MCP servers without their secrets", async () => {
    const { client, prompt } = await stage();
    await prompt("mcp");
    assert.deepEqual(
      client.text
        .trimEnd()
        .split("\n")
        .map((line): unknown => JSON.parse(line)),
      [
        { name: "files", command: "files-server", args: ["-v"], env: ["TOKEN"] },
        { type: "http", name: "web", url: "http://127.0.0.1/mcp", headers: ["Authorization"] },
        { type: "acp", name: "near", serverId: "server-1" },
      ],
    );
  });

  it("calls an MCP server over ACP, and refuses one that is not of that type", async () => {
    const { client, prompt } = await stage({ answers: { "mcp/message": { result: { tools: [] } } } });
    await prompt("mcp_call near tools/list {}");
    const { params } = await client.waitFor("mcp/message");
    assert.deepEqual(
      [params?.object?.["serverId"], params?.object?.["method"], client.text],
      ["server-1", "tools/list", 'mcp/message result {"result":{"tools":[]}}\n'],
    );
    assert.match((await prompt("mcp_call web tools/list")).json.text, /no MCP server \\"web\\" of type acp/);
  });

  it("does everything the client can in full", async () => {
    const { client, prompt } = await stage();
    assert.equal((await prompt("full")).json.object?.["stopReason"], "end_turn");
    for (const method of [
      "session/request_permission",
      "fs/write_text_file",
      "terminal/release",
      "elicitation/create",
    ]) {
      assert.ok(client.methods.includes(method), method);
    }
  });

  it("sends oversize lines of the exact size", async () => {
    const { client, prompt } = await stage();
    const result = await prompt("oversize 500 result");
    await prompt("oversize 400\noversize 300 request");
    const update = client.received.find(({ method }) => method === "session/update");
    const request = client.received.find(({ method }) => method === "_test.example/large");
    assert.deepEqual(
      [
        result.textWithId("").length,
        new Notification("session/update", update?.params).text.length,
        new Request("_test.example/large", request?.params).textWithId("1").length,
      ],
      [500, 400, 300],
    );
  });

  it("fails a fault that needs a process, and says so", async () => {
    const { prompt } = await stage();
    for (const command of [
      "crash 1",
      "exit_silently",
      "garbage",
      "truncated",
      "stop_reading",
      "ignore_eof",
      "stderr x",
      "child",
    ]) {
      assert.match((await prompt(command)).json.text, /-32603.*in the process of its test/, command);
    }
  });
});

describe("cancelling a scripted turn", () => {
  it("ends with the stop reason cancelled on session/cancel", async () => {
    const { agent, client, start } = await stage();
    const { answer } = start("wait_for_cancel\necho not reached");
    agent.notify(Notification.of("session/cancel", { sessionId: "session-1" }));
    assert.deepEqual((await answer).json.value, { stopReason: "cancelled" });
    assert.equal(client.text, "waiting\ncancelled by session/cancel\n");
  });

  it("ends with -32800 on $/cancel_request", async () => {
    const { client, start } = await stage();
    const { answer, cancel } = start("wait_for_cancel");
    cancel();
    assert.equal((await answer).json.object?.["code"], -32800);
    assert.equal(client.text, "waiting\ncancelled by $/cancel_request\n");
  });

  it("gives up its question to the client, and ends when that is answered", async () => {
    const { agent, client, start } = await stage({ answers: { "session/request_permission": () => undefined } });
    const { answer } = start("permission allow");
    agent.notify(Notification.of("session/cancel", { sessionId: "session-1" }));
    await client.waitFor("session/request_permission", "cancel");
    client.open[0]?.reply(Outcome.of({ outcome: { outcome: "cancelled" } }));
    assert.deepEqual((await answer).json.value, { stopReason: "cancelled" });
  });

  it("never answers hang, and refuses a second turn meanwhile", async () => {
    const { agent, prompt, start } = await stage();
    let isAnswered = false;
    const { answer, cancel } = start("hang");
    void answer.then(() => (isAnswered = true));
    cancel();
    agent.notify(Notification.of("session/cancel", { sessionId: "session-1" }));
    assert.equal((await prompt("echo x")).json.object?.["code"], -32600);
    assert.equal(isAnswered, false);
  });
});
