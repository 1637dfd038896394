import { Json } from "../../src/base/rpc/json.js";
import { Outcome } from "../../src/base/rpc/message.js";
import { RpcError } from "../../src/base/rpc/rpc-error.js";
import { objectMember, stringMember } from "../members.js";
import type { ScriptCommands, ScriptTurn } from "../script-turn.js";

/** All four kinds of permission option in an order that no client may rely on. */
const permissionOptions = [
  { optionId: "option-1", name: "Always", kind: "allow_always" },
  { optionId: "option-2", name: "Not now", kind: "reject_once" },
  { optionId: "option-3", name: "Once", kind: "allow_once" },
  { optionId: "option-4", name: "Never", kind: "reject_always" },
] as const;

/** Commands that ask the client. Each answer is said as `METHOD result JSON` or `METHOD error JSON`. */
export const clientCalls: ScriptCommands = {
  permission: {
    usage:
      "permission [allow|reject [PATH]]: asks for permission of a tool call, which changes the file; with a word, fails when the answer differs",
    run: askPermission,
  },
  fs: {
    usage: "fs READPATH WRITEPATH: reads the one file and writes its text, in capitals, to the other",
    async run(turn, argument) {
      const [readPath = "", writePath = ""] = argument.split(/\s+/);
      const { sessionId } = turn;
      const file = await turn.call("fs/read_text_file", { sessionId, path: readPath, line: 1, limit: 1000 });
      const content = stringMember(file.json, "content") ?? "nothing was read";
      await turn.call("fs/write_text_file", { sessionId, path: writePath, content: content.toUpperCase() });
      return undefined;
    },
  },
  terminal: {
    usage: "terminal COMMAND...: runs it in a terminal of the client and waits for its exit",
    run: useTerminal,
  },
  elicitation: {
    usage: "elicitation: asks for a form and for a visit to a URL",
    run: elicit,
  },
  callbacks: {
    usage: "callbacks: an unknown vendor request and an unknown vendor notification to the client",
    async run(turn) {
      turn.notify("_test.example/remark", { sessionId: turn.sessionId, nested: [{ deep: null }], _meta: { a: 1 } });
      await turn.call("_test.example/question", { sessionId: turn.sessionId, unknown: { member: true } });
      return undefined;
    },
  },
  mcp_call: {
    usage: "mcp_call SERVER METHOD [PARAMS]: one request, over ACP, to an MCP server of type acp that the session got",
    run: callMcpServer,
  },
};

async function askPermission(turn: ScriptTurn, argument: string): Promise<Outcome | undefined> {
  const [expected = "", path] = argument.split(" ");
  const call = { toolCallId: "call-permission", title: "Change main.ts", kind: "edit", status: "pending" };
  const toolCall = { ...call, ...(path !== undefined && { locations: [{ path }] }) };
  turn.update({ sessionUpdate: "tool_call", ...toolCall });
  const outcome = await turn.call("session/request_permission", {
    sessionId: turn.sessionId,
    toolCall,
    options: permissionOptions,
  });
  const optionId = objectMember(outcome.json, "outcome")?.["optionId"];
  const kind = permissionOptions.find((option) => option.optionId === optionId)?.kind;
  const isAllowed = kind === "allow_once" || kind === "allow_always";
  turn.update({
    sessionUpdate: "tool_call_update",
    toolCallId: toolCall.toolCallId,
    status: isAllowed ? "completed" : "failed",
  });
  if (expected === "" || turn.cancelledBy !== undefined) return undefined;
  if (kind !== undefined && kind.startsWith(expected)) return undefined;
  return Outcome.error(RpcError.internal(`permission: expected ${expected}, got ${kind ?? "no option"}`));
}

async function useTerminal(turn: ScriptTurn, argument: string): Promise<undefined> {
  const [command = "", ...args] = argument.split(/\s+/);
  const { sessionId } = turn;
  const { cwd } = turn.options;
  const created = await turn.call("terminal/create", {
    sessionId,
    command,
    args,
    env: [],
    cwd,
    outputByteLimit: 65_536,
  });
  const terminalId = stringMember(created.json, "terminalId");
  if (terminalId === undefined) return;
  const toolCallId = "call-terminal";
  const content = [{ type: "terminal", terminalId }];
  turn.update({
    sessionUpdate: "tool_call",
    toolCallId,
    title: argument,
    kind: "execute",
    status: "in_progress",
    content,
  });
  for (const method of ["output", "wait_for_exit", "output", "kill", "release"]) {
    await turn.call(`terminal/${method}`, { sessionId, terminalId });
  }
  turn.update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
}

async function elicit(turn: ScriptTurn): Promise<undefined> {
  const { sessionId } = turn;
  const properties = {
    answer: { type: "string", title: "Answer" },
    count: { type: "integer", minimum: 1 },
    token: { type: "string", title: "Token", _meta: { codex: { isSecret: true } } },
  };
  const requestedSchema = { type: "object", properties, required: ["answer"] };
  await turn.call("elicitation/create", { mode: "form", sessionId, message: "Please fill in", requestedSchema });
  const elicitationId = "elicitation-1";
  const url = "https://example.com/confirm";
  await turn.call("elicitation/create", { mode: "url", sessionId, message: "Please visit", elicitationId, url });
  turn.notify("elicitation/complete", { elicitationId });
}

async function callMcpServer(turn: ScriptTurn, argument: string): Promise<Outcome | undefined> {
  const [, name = "", method = "", params = "{}"] = /^(\S+)\s+(\S+)\s*(.*)$/.exec(argument) ?? [];
  const servers = turn.options.mcpServers.value;
  const server = (Array.isArray(servers) ? servers : [])
    .map((entry: unknown) => Json.of(entry))
    .find((entry) => stringMember(entry, "name") === name);
  const serverId = server && stringMember(server, "serverId");
  if (serverId === undefined)
    return Outcome.error(RpcError.invalidParams(`the session has no MCP server "${name}" of type acp`));
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "scripted-agent", version: "1" },
    progressToken: "progress-1",
  };
  await turn.call("mcp/message", {
    serverId,
    requestId: `mcp-request-${method}`,
    method,
    params: { ...Json.ofText(params).object, _meta: meta },
  });
  return undefined;
}
