import { createInterface } from "node:readline";
import process from "node:process";

/*
 * An ACP agent with two sub-agents, one of which has one of its own and asks for permission, while the other works until it is
 * stopped alone. Its turn ends when both have ended.
 */

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string };
  readonly result?: { readonly outcome?: { readonly optionId?: string } };
}

const [parent, reader, tests, checks] = ["parent", "parent/reader", "parent/reader/tests", "parent/checks"] as const;
const send = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId: string, kind: string, members: object): void =>
  send({ method: "session/update", params: { sessionId, update: { sessionUpdate: kind, ...members } } });
const say = (sessionId: string, text: string): void =>
  update(sessionId, "agent_message_chunk", { content: { type: "text", text } });
const child = (by: string, sessionId: string, title: string, description: string): void =>
  update(by, "subagent_update", {
    sessionId,
    title,
    description,
    capabilities: { cancel: {} },
    state: { state: "running" },
  });
const ends = (by: string, sessionId: string, stopReason: string): void =>
  update(by, "subagent_update", { sessionId, state: { state: "idle", stopReason } });
const call = (sessionId: string, toolCallId: string, title: string, kind: string, status: string): void =>
  update(sessionId, "tool_call", { toolCallId, title, kind, status });

let promptId: Message["id"];
const running = new Set<string>();

function begin(): void {
  say(parent, "Two of us look at it.\n");
  child(parent, reader, "Look into the parser", "Find where dates are read, and what is missing.");
  child(parent, checks, "Run the slow checks", "All of them, until somebody says stop.");
  running.add(reader).add(checks);
  call(reader, "read", "src/parser.ts", "read", "completed");
  child(reader, tests, "Read the tests", "Which cases are covered?");
  call(tests, "search", "Search for leap years", "search", "completed");
  say(tests, "Leap years are not covered.");
  ends(reader, tests, "end_turn");
  call(checks, "check", "npm run check", "execute", "in_progress");
  const options = [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: "edit", title: "Edit src/parser.ts", kind: "edit", status: "pending" };
  update(reader, "tool_call", toolCall);
  send({ id: "may-i", method: "session/request_permission", params: { sessionId: reader, toolCall, options } });
}

function ended(sessionId: string, stopReason: string): void {
  ends(parent, sessionId, stopReason);
  running.delete(sessionId);
  if (running.size > 0) return;
  say(parent, "Both have ended.\n");
  send({ id: promptId, result: { stopReason: "end_turn" } });
}

function receive({ id, method, params, result }: Message): void {
  if (id === "may-i") {
    const isAllowed = result?.outcome?.optionId === "yes";
    update(reader, "tool_call_update", { toolCallId: "edit", status: isAllowed ? "completed" : "failed" });
    say(reader, isAllowed ? "I was allowed to." : "I was not allowed to.");
    ended(reader, "end_turn");
  } else if (method === "initialize")
    send({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
  else if (method === "session/new") send({ id, result: { sessionId: parent } });
  else if (method === "session/prompt") {
    promptId = id;
    begin();
  } else if (method === "session/cancel") {
    if (params?.sessionId !== checks) return;
    update(checks, "tool_call_update", { toolCallId: "check", status: "failed" });
    ended(checks, "cancelled");
  } else if (id !== undefined) send({ id, result: {} });
}

createInterface({ input: process.stdin }).on("line", (line) => receive(JSON.parse(line) as Message));
