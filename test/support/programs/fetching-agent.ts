import { execFile } from "node:child_process";
import { createInterface } from "node:readline";

/** An ACP agent without a model: a prompt is an address, which a program of its own fetches, and the answer the status that it got. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text?: string }[] };
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function status(url: string): Promise<string> {
  return new Promise((resolve) => {
    const args = ["-s", "-o", "/dev/null", "-w", "%{http_code}", url];
    execFile("curl", args, (_error, stdout) => resolve(stdout));
  });
}

const agentInfo = { name: "fetching-agent", title: "Fetcher", version: "1.0.0" };

async function resultOf({ method, params = {} }: Message): Promise<object> {
  if (method === "initialize") return { protocolVersion: 1, agentCapabilities: {}, agentInfo };
  if (method === "session/new") return { sessionId: crypto.randomUUID() };
  if (method !== "session/prompt") return {};
  const url = params.prompt?.map(({ text = "" }) => text).find((text) => text.startsWith("http")) ?? "";
  const content = { type: "text", text: `The answer of ${url} was ${await status(url)}.` };
  const { sessionId } = params;
  send({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } } });
  return { stopReason: "end_turn" };
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined || message.method === undefined) continue;
  void resultOf(message).then((result) => send({ id: message.id, result }));
}
