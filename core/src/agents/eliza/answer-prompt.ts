import { messageOf } from "../../base/symposium-error.js";
import { untilAborted } from "../../base/until-aborted.js";
import { McpError } from "../../base/mcp/mcp-server.js";
import { parsePromptCommand, type PromptCommand } from "./prompt-command.js";
import { joinNames, type PromptContent } from "./prompt-content.js";
import { allOptions, type Decision, isAllowed, type Turn } from "./turn.js";
import { useTool } from "./use-tool.js";

const help =
  "I am Eliza. Tell me what is on your mind, and I will ask about it. I also understand:\n\n- list tools from SERVER: lists an MCP " +
  'server\'s tools (/tools lists those of all servers)\n- use tool SERVER::TOOL with {"key": "value"}: calls the tool\n- ask ' +
  "permission to DO SOMETHING: asks you for permission";

export async function answerPrompt(turn: Turn, content: PromptContent): Promise<void> {
  const command = commandOf(content);
  if (command?.kind === "use-tool") {
    await useTool(turn, command);
  } else if (command?.kind === "ask-permission") {
    await askPermission(turn, command.purpose);
  } else if (await mayAnswer(turn)) {
    await (command === undefined ? turn.say(talk(turn, content)) : answerCommand(turn, command));
  }
}

/** Looks for a command in every text block, since proxies may add blocks before and after the command. */
function commandOf(content: PromptContent): PromptCommand | undefined {
  for (const text of content.texts) {
    const command = parsePromptCommand(text);
    if (command) return command;
  }
  return undefined;
}

async function mayAnswer(turn: Turn): Promise<boolean> {
  if (turn.session.mode === "talk") return true;
  const toolCall = { toolCallId: crypto.randomUUID(), title: "Answer you", kind: "think" } as const;
  turn.announce(toolCall);
  const isFree = await turn.mayGoOn(toolCall);
  turn.report({ toolCallId: toolCall.toolCallId, status: isFree ? "completed" : "failed" });
  return isFree;
}

function talk({ session }: Turn, { texts, attachments }: PromptContent): string {
  const text = texts.join("\n").trim();
  if (attachments.length === 0)
    return text === "" ? "You say nothing. Is it hard to begin?" : session.doctor.answer(text);
  const brought = `You brought ${joinNames(attachments)} with you.`;
  return `${brought} ${text === "" ? "What does it mean to you?" : session.doctor.answer(text)}`;
}

type SpokenCommand = Extract<PromptCommand, { kind: "help" | "unreadable" | "list-tools" }>;

function answerCommand(turn: Turn, command: SpokenCommand): Promise<void> {
  switch (command.kind) {
    case "help":
      return turn.say(help);
    case "unreadable":
      return turn.say(command.problem);
    case "list-tools":
      return listTools(turn, command.server === undefined ? turn.servers.names : [command.server]);
  }
}

async function listTools(turn: Turn, servers: readonly string[]): Promise<void> {
  if (servers.length === 0) await turn.say("This session has no MCP servers.");
  for (const server of servers) await turn.say(await toolList(turn, server));
}

async function toolList({ servers, signal }: Turn, server: string): Promise<string> {
  try {
    const connection = await untilAborted(servers.connect(server), signal);
    const tools = await untilAborted(connection.listTools(signal), signal);
    if (tools.length === 0) return `${server} has no tools.`;
    const lines = tools.map(
      ({ name, description }) => `- ${name}${description === undefined ? "" : `: ${description}`}`,
    );
    return `Tools of ${server}:\n\n${lines.join("\n")}`;
  } catch (thrown) {
    if (signal.aborted) return "";
    if (!(thrown instanceof McpError)) await servers.drop(server);
    return `I could not list the tools of ${server}: ${messageOf(thrown)}`;
  }
}

async function askPermission(turn: Turn, purpose: string | undefined): Promise<void> {
  const title = purpose === undefined ? "Do something" : purpose.charAt(0).toUpperCase() + purpose.slice(1);
  const toolCall = { toolCallId: crypto.randomUUID(), title, kind: "other" } as const;
  turn.announce(toolCall);
  const decision = await turn.decide(toolCall, allOptions);
  turn.report({ toolCallId: toolCall.toolCallId, status: isAllowed(decision) ? "completed" : "failed" });
  await turn.say(describe(decision));
}

function describe(decision: Decision): string {
  switch (decision.kind) {
    case "selected":
      return `You chose "${decision.option.name}" (${decision.option.kind}).`;
    case "cancelled":
      return "You closed the question without an answer.";
    case "failed":
      return `I could not ask for your permission: ${decision.message}.`;
  }
}
