import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { asObject, parsedObject } from "@symposium-dev/core";

// An ACP agent that plays a model: `node answering-agent.js ANSWERS LOG`. ANSWERS is a JSON list of `{ when, answer, asks }`:
// the first whose text is in the prompt is the answer; without an `answer` the turn goes on until it is cancelled. If it
// `asks`, it wants to edit a file before. Each prompt is appended to LOG as a line `{ prompt, permission }` with what came of that.
const [answersFile = "", logFile = ""] = process.argv.slice(2);
const waiting = new Map<string, (message: Readonly<Record<string, unknown>>) => void>();
const cancelled = new Map<string, () => void>();
let nextId = 1;

function send(message: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function request(method: string, params: unknown): Promise<Readonly<Record<string, unknown>>> {
  const id = `agent-${nextId++}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function prompt(params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { sessionId } = params;
  const blocks = Array.isArray(params["prompt"]) ? params["prompt"] : [];
  const text = blocks.map((block: unknown) => textOf(asObject(block))).join("\n");
  const answers = JSON.parse(readFileSync(answersFile, "utf8")) as { when: string; answer?: string; asks?: boolean }[];
  const { answer, asks } = answers.find(({ when }) => text.includes(when)) ?? { answer: "I do not know." };
  const permission = asks === true ? await askToEdit(sessionId) : undefined;
  appendFileSync(logFile, `${JSON.stringify({ prompt: text, permission })}\n`);
  if (answer === undefined) {
    await new Promise<void>((resolve) => cancelled.set(String(sessionId), resolve));
    appendFileSync(logFile, `${JSON.stringify({ cancelled: true })}\n`);
    return { stopReason: "cancelled" };
  }
  const content = { type: "text", text: answer };
  send({
    method: "session/update",
    params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
  });
  return { stopReason: "end_turn" };
}

async function askToEdit(sessionId: unknown): Promise<unknown> {
  const asked = await request("session/request_permission", {
    sessionId,
    toolCall: { toolCallId: "edit", title: "Edit a file", kind: "edit" },
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  });
  return asObject(asked["result"])?.["outcome"];
}

function textOf(block: Readonly<Record<string, unknown>> | undefined): string {
  const text = block?.["text"] ?? asObject(block?.["resource"])?.["text"];
  return typeof text === "string" ? text : "";
}

async function resultOf(method: unknown, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  switch (method) {
    case "initialize":
      return { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "answering", version: "1.0.0" } };
    case "session/new":
      return { sessionId: `session-${nextId++}` };
    case "session/prompt":
      return prompt(params);
    default:
      return undefined;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = parsedObject(line) ?? {};
  const { id, method } = message;
  const params = asObject(message["params"]) ?? {};
  if (method === "session/cancel") cancelled.get(String(params["sessionId"]))?.();
  else if (method === undefined) waiting.get(String(id))?.(message);
  else if (id !== undefined) {
    void resultOf(method, params).then((result) => {
      if (result === undefined) send({ id, error: { code: -32601, message: `There is no such method.` } });
      else send({ id, result });
    });
  }
}
