import assert from "node:assert/strict";
import type { Contribution } from "../../src/context/contribution.js";
import { server, searches, tool } from "./servers/tool-search-fixture.js";
import { type PlayedAgent, settled, type Stage } from "../conductor/chain/chain-fixture.js";
import { answering, update, withContext } from "./context-stage.js";

const jira = [
  tool("create_ticket", "Creates a ticket."),
  tool("list_boards", "Lists boards.", { annotations: { readOnlyHint: true } }),
];
const args = { title: "T" };
const call = { name: "create_ticket", arguments: args };
const always = { optionId: "always", name: "Always allow", kind: "allow_always" };
const once = { optionId: "once", name: "Allow once", kind: "allow_once" };
const reject = { optionId: "no", name: "Deny", kind: "reject_once" };

/** A session whose servers are behind a search. */
function withSearch(body: (stage: Stage, agent: PlayedAgent, sessionId: string) => Promise<void>): Promise<void> {
  const source = {
    name: "servers",
    open: ({ signal }: { signal: AbortSignal }): Promise<Contribution> =>
      searches({ mode: "always" }).offer([server("jira", jira)], { row: undefined, signal }),
  };
  return withContext(
    { agent: answering(), sources: [source], client: { permits: "allow_always" } },
    async (stage, agent) => body(stage, agent, await stage.session()),
  );
}

const toolCalls = ({ client }: Stage): unknown[] =>
  client.updates.filter(({ sessionUpdate }) => String(sessionUpdate).startsWith("tool_call"));

describe("calls through a search for tools", () => {
  it("are shown by the inner tool's name and arguments, in the agent's manner", () =>
    withSearch(async (stage, agent, sessionId) => {
      const sent = [
        { sessionUpdate: "tool_call", toolCallId: "1", title: "tools_call_tool", rawInput: {} },
        { sessionUpdate: "tool_call_update", toolCallId: "1", title: "tools_call_tool", rawInput: call },
        { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed", rawOutput: { output: "done" } },
        {
          sessionUpdate: "tool_call",
          toolCallId: "2",
          title: "call_tool (tools MCP Server)",
          content: [block(JSON.stringify(call))],
        },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "2",
          title: "call_tool (tools MCP Server)",
          status: "completed",
          content: [block("done")],
        },
        {
          sessionUpdate: "tool_call",
          toolCallId: "3",
          title: "tools-call_read_tool",
          rawInput: { name: "list_boards" },
        },
        { sessionUpdate: "tool_call", toolCallId: "4", title: "tools-call_tool", rawInput: { name: "unknown" } },
        { sessionUpdate: "tool_call", toolCallId: "5", title: "Edit a.ts", rawInput: call },
      ];
      for (const one of sent) update(agent, sessionId, one);
      await settled();
      assert.deepEqual(toolCalls(stage), [
        sent[0],
        { ...sent[1], title: "jira_create_ticket", rawInput: args },
        sent[2],
        { ...sent[3], title: "create_ticket (jira MCP Server)", content: [block('{"title":"T"}')] },
        { ...sent[4], title: "create_ticket (jira MCP Server)" },
        { ...sent[5], title: "jira-list_boards", rawInput: {} },
        sent[6],
        sent[7],
      ]);
    }));

  it("are not those of another server's tool of the same name, nor results that look like a call", () =>
    withSearch(async (stage, agent, sessionId) => {
      const result = { name: "create_ticket", id: 1 };
      const sent = [
        { sessionUpdate: "tool_call", toolCallId: "1", title: "mcp__hub__call_tool", rawInput: call },
        { sessionUpdate: "tool_call", toolCallId: "2", title: "tools_call_tool", rawInput: call },
        {
          sessionUpdate: "tool_call_update",
          toolCallId: "2",
          status: "completed",
          content: [block(JSON.stringify(result))],
        },
      ];
      for (const one of sent) update(agent, sessionId, one);
      await settled();
      const [other, , done] = toolCalls(stage) as readonly Readonly<Record<string, unknown>>[];
      assert.deepEqual(other, sent[0]);
      assert.deepEqual(done?.["content"], sent[2]?.content);
    }));

  it("ask for the inner tool alone, and once where the user allows it for the session", () =>
    withSearch(async (stage, agent, sessionId) => {
      const toolCall = { toolCallId: "1", title: "Call a tool", rawInput: call };
      const permission = { sessionId, toolCall, options: [once, always, reject] };
      const first = await agent.ask("session/request_permission", permission);
      const second = await agent.ask("session/request_permission", permission);
      const other = { ...toolCall, toolCallId: "2", rawInput: { name: "list_boards" } };
      await agent.ask("session/request_permission", { ...permission, toolCall: other });
      const asked = stage.client.received.filter(({ method }) => method === "session/request_permission");
      const allow = {
        optionId: "symposium_allow_tool",
        name: "Allow create_ticket (jira) for this session",
        kind: "allow_always",
      };
      assert.deepEqual(
        {
          answers: [first, second].map(({ json }) => json.value),
          asked: asked.map(({ params }) => params?.object?.["toolCall"]),
          options: asked[0]?.params?.object?.["options"],
        },
        {
          answers: [selected("once"), selected("once")],
          asked: [
            { ...toolCall, title: "create_ticket (jira)", rawInput: args },
            { ...other, title: "list_boards (jira)", rawInput: {} },
          ],
          options: [once, reject, allow],
        },
      );
    }));
});

function block(text: string): unknown {
  return { type: "content", content: { type: "text", text } };
}

function selected(optionId: string): unknown {
  return { outcome: { outcome: "selected", optionId } };
}
