import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { McpServer, SessionUpdate } from "@agentclientprotocol/sdk/unstable";
import type { AcpClient } from "../acp-client.js";
import { writtenText } from "./agent-recipes.js";
import { callTool, callToolWith, say, streamedWord, talkUntilCancelled, toolNames } from "../fake-model/script.js";
import type { JsonObject } from "../json.js";
import { voicesOverHttp } from "../voices-server.js";
import type { StartedAgent, useAgent } from "./agent-session.js";

const fileName = "greeting.txt";
const answer = ["All ", "done."] as const;

/** The tests of single turns that every agent passes. `scope` ends after each test. */
export function testTurns(agent: ReturnType<typeof useAgent>, scope: () => AsyncDisposableStack): void {
  it("asks, creates a file and ends its turn", async function () {
    await createsFile(await agent(this));
  });

  it("stops in the middle of a stream when cancelled", async function () {
    await cancelsStream(await agent(this));
  });

  it("calls a tool of an MCP server that the client names", async function () {
    const { url } = scope().use(await voicesOverHttp());
    const mcpServers = () => [{ type: "http" as const, name: "voices", url, headers: [] }];
    await callsMcpTool(await agent(this), { ...shout, mcpServers });
  });

  it("runs commands with an environment that asks for short output", async function () {
    const command = "echo ruff=$RUFF_OUTPUT_FORMAT colour=$NO_COLOR";
    assert.match(await outputOfCommand(await agent(this), command), /ruff=concise colour=1/);
  });
}

/** A prompt turn in which the agent asks for permission, creates a file and reports the result to the model. */
export async function createsFile(agent: StartedAgent): Promise<void> {
  const prompt = `Create ${fileName}.`;
  const { model, client, sessionId, workspace } = await agent.open({
    prompt,
    script: (folder) => [agent.recipe.createsFile(join(folder, fileName)), say(...answer)],
    mode: agent.recipe.mode,
  });
  const { stopReason } = await client.prompt(sessionId, prompt);
  assert.deepEqual(
    {
      stopReason,
      hasAsked: client.permissionRequests.length > 0,
      content: (await readFile(join(workspace, fileName), "utf8")).trim(),
      hasToolCall: client.updates.some(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call")),
      hasAnswer: client.agentText.includes(answer.join("")),
      isReported: model.requests.some(({ toolResults }) => toolResults.length === 1),
    },
    {
      stopReason: "end_turn",
      hasAsked: true,
      content: writtenText,
      hasToolCall: true,
      hasAnswer: true,
      isReported: true,
    },
  );
}

/** A prompt turn that is cancelled while the model streams: the agent hangs up on the model and says `cancelled`. */
async function cancelsStream(agent: StartedAgent): Promise<void> {
  const prompt = "Tell me a long story.";
  const { model, client, sessionId } = await agent.open({
    prompt,
    script: () => [talkUntilCancelled],
  });
  const turn = client.prompt(sessionId, prompt);
  await Promise.race([client.update(isStreamed), turn]);
  await client.cancel(sessionId);
  const { stopReason } = await turn;
  const talk = model.requests.find(({ reply }) => reply.kind === "talk-until-cancelled");
  assert.deepEqual({ stopReason, talk: await talk?.ended }, { stopReason: "cancelled", talk: "aborted" });
}

/** An MCP tool that the agent is expected to find, and what calling it must give. */
interface ExpectedMcpTool {
  /** The end of the name under which agents offer the tool to the model; they put the server's name before it. */
  readonly name: string;
  readonly arguments: JsonObject;
  /** Part of the text that the tool returns for these arguments. */
  readonly result: string;
  /** Servers that the client passes; none when a proxy on the agent's route offers the tool. */
  readonly mcpServers?: (client: AcpClient) => McpServer[];
}

/** The tool of the voices server, as an agent calls it. */
export const shout: ExpectedMcpTool = {
  name: "shout",
  arguments: { text: "reached the model" },
  result: "REACHED THE MODEL",
};

/** A prompt turn in which the model is offered an MCP tool, calls it and gets its result. */
export async function callsMcpTool(agent: StartedAgent, tool: ExpectedMcpTool): Promise<void> {
  const pattern = new RegExp(`${tool.name}$`, "i");
  const prompt = `Use the tool ${tool.name}.`;
  const { model, client, sessionId } = await agent.open({
    prompt,
    script: () => [callToolWith(pattern, tool.arguments), say(...answer)],
    mode: agent.recipe.mcpMode,
    ...(tool.mcpServers && { mcpServers: tool.mcpServers }),
  });
  const { stopReason } = await client.prompt(sessionId, prompt);
  assert.deepEqual(
    {
      stopReason,
      isOffered: model.requests.some(({ tools }) => tools.some(({ name }) => pattern.test(name))),
      isReported: model.requests.some(({ toolResults }) => toolResults.some(({ text }) => text.includes(tool.result))),
    },
    { stopReason: "end_turn", isOffered: true, isReported: true },
  );
}

/** Runs a turn in which the model runs a command. Returns the output that the model received. */
async function outputOfCommand(agent: StartedAgent, command: string): Promise<string> {
  const prompt = "Run the command.";
  const { model, client, sessionId } = await agent.open({
    prompt,
    script: () => [callTool(toolNames.command, { command }), say(...answer)],
    mode: agent.recipe.mode,
  });
  const { stopReason } = await client.prompt(sessionId, prompt);
  assert.equal(stopReason, "end_turn");
  return model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text)).join("\n");
}

/** Whether the update is a piece of what `talkUntilCancelled` streams. */
export function isStreamed(update: SessionUpdate): boolean {
  return (
    update.sessionUpdate === "agent_message_chunk" &&
    update.content.type === "text" &&
    update.content.text.includes(streamedWord)
  );
}
