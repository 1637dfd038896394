import { performance } from "node:perf_hooks";
import { historyDigest, SessionHistory } from "#core/models/session-history.js";
import { ToolBridge } from "#core/models/tool-bridge.js";
import { readResponseParams } from "#core/models/vscode/read-params.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import { Json } from "#core/base/rpc/json.js";
import { Logger } from "#core/base/logger.js";
import { conductorProgram } from "../../support/conductor-command.js";
import { arrayOf, objectOf, stringOf } from "../../support/json.js";
import type { BenchRun } from "../bench-run.js";
import type { Lane } from "../lanes.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const historyLength = 2_000;
/** Characters of a message of that history. */
const messageLength = 500;
const toolCount = 200;
const warmUps = 10;

/** Measures the cost of using an agent as an editor's language model. */
export async function measureLanguageModel(run: BenchRun): Promise<Row[]> {
  return [await measureFirstPart(run), measureMatching(run), await measureTools(run)];
}

/** From a request to the first part of its answer, in a chat that goes on, against the agent's first update alone. */
async function measureFirstPart(run: BenchRun): Promise<Row> {
  const samples = new Samples();
  const prompt = "stream 1 40";
  const agent = run.lanes.direct();
  for (let launch = 0; launch < run.scale.launches; launch++) {
    await using alone = run.startLines(agent);
    await alone.ask("initialize", { protocolVersion: 1, clientCapabilities: {} }, '"result"');
    await alone.ask("session/new", { cwd: "/", mcpServers: [] }, '"sessionId"');
    await using model = run.startLines(["node", conductorProgram, "vscodelm"]);
    const messages: object[] = [];
    for (let round = -warmUps; round < run.scale.turnRounds * run.scale.turnsPerRound; round++) {
      const asked = { sessionId: "bench", prompt: [{ type: "text", text: prompt }] };
      const direct = await alone.ask("session/prompt", asked, '"session/update"');
      messages.push(message("user", prompt));
      const ours = await model.ask(
        "lm/provideLanguageModelChatResponse",
        responseParams(agent, messages),
        '"lm/responsePart"',
      );
      messages.push(message("assistant", "x".repeat(40)));
      if (round < 0) continue;
      samples.add("direct", direct);
      samples.add("ours", ours);
    }
  }
  return {
    measure: "language model, first part of an answer, added p50",
    unit: "ms",
    isAdded: true,
    direct: samples.median("direct"),
    ours: samples.difference("ours", "direct"),
    target: { atMost: 5 },
  };
}

/** From the parsed request to what of it is new to its session. */
function measureMatching(run: BenchRun): Row {
  const messages = Array.from({ length: historyLength }, (_, index) =>
    message(index % 2 === 0 ? "user" : "assistant", `${index} ${"word ".repeat(messageLength / 5)}`),
  );
  const history = new SessionHistory();
  const digested = (some: readonly object[]): Parameters<typeof history.match>[0] => {
    const read = readResponseParams(Json.of(responseParams(["agent"], some))).messages;
    return { messages: read, digest: historyDigest(read) };
  };
  history.requested(digested(messages.slice(0, -1)));
  history.answered({
    text: `${historyLength - 1} ${"word ".repeat(messageLength / 5)}`,
    callIds: [],
    isPartial: false,
  });
  const samples = new Samples();
  for (let round = -warmUps; round < 10 * run.scale.starts; round++) {
    // Texts as a parser leaves them: nobody has looked at them before.
    const fresh = JSON.parse(JSON.stringify([...messages, message("user", "Go on")])) as object[];
    const start = performance.now();
    const match = history.match(digested(fresh));
    if (round >= 0) samples.add("match", performance.now() - start);
    if (match.kind !== "extends" || match.from !== historyLength) throw new Error(`The history ${match.kind}.`);
  }
  return {
    measure: `language model, matching a history of ${historyLength} messages of ${messageLength} characters, p50`,
    unit: "ms",
    ours: samples.median("match"),
    target: { atMost: 5 },
  };
}

/** From a request with other tools to the agent's list of them, over the bridge that agents use. */
async function measureTools(run: BenchRun): Promise<Row> {
  const call = (): Promise<string> => Promise.resolve("");
  const server = new ToolBridge({ name: "vscode_tools", version: "1", instructions: "Tools.", call });
  await using bridge = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, Logger.silent);
  await using exposure = await bridge.expose(server, "http");
  const { url, headers } = objectOf(exposure.declaration.value);
  const authorization = stringOf(objectOf(arrayOf(headers)[0])["value"]);
  const list = async (): Promise<number> => {
    const response = await fetch(stringOf(url), {
      method: "POST",
      headers: { Authorization: authorization, "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    });
    return arrayOf(objectOf(objectOf(await response.json())["result"])["tools"]).length;
  };
  const samples = new Samples();
  for (let round = -warmUps; round < 10 * run.scale.starts; round++) {
    const tools = Array.from({ length: toolCount }, (_, index) => ({
      name: `tool_${index}`,
      description: `Does number ${index} of round ${round}. ${"It is described at length. ".repeat(10)}`,
      inputSchema: { type: "object", properties: { path: { type: "string" }, lines: { type: "array" } } },
    }));
    const start = performance.now();
    server.setTools(tools);
    const listed = await list();
    if (round >= 0) samples.add("list", performance.now() - start);
    if (listed === 0) throw new Error("No tool is listed.");
  }
  return {
    measure: `language model, ${toolCount} tools offered and listed over HTTP, p50`,
    unit: "ms",
    ours: samples.median("list"),
    target: { atMost: 20 },
  };
}

function message(role: string, value: string): object {
  return { role, content: [{ type: "text", value }] };
}

function responseParams([command, ...args]: Lane, messages: readonly object[]): object {
  return { modelId: "bench", agent: { command, args }, messages };
}
