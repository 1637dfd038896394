import process from "node:process";

/*
 * Agent that runs its commands through the editor, in Kimi CLI's order: `terminal/create`, `wait_for_exit`, `output`, `release`. A prompt
 * is a command as a JSON list of words. The turn reports the output that the agent received.
 */

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly cwd?: string;
    readonly prompt?: readonly { readonly text?: string }[];
  };
  readonly result?: Readonly<Record<string, unknown>>;
}

const waiting = new Map<number, (result: Readonly<Record<string, unknown>>) => void>();
const sessionId = "terminal-agent";
let nextId = 1;
let cwd = "";

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
  const id = nextId++;
  send({ id, method: `terminal/${method}`, params: { sessionId, ...params } });
  return new Promise((resolve) => waiting.set(id, resolve));
}

async function run(text: string): Promise<void> {
  const [command, ...args] = JSON.parse(text) as string[];
  const { terminalId } = await ask("create", { command, args, cwd, outputByteLimit: 50_000 });
  await ask("wait_for_exit", { terminalId });
  const { output } = await ask("output", { terminalId });
  await ask("release", { terminalId });
  const content = { type: "text", text: output };
  send({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } } });
}

async function receive({ id, method, params, result }: Message): Promise<void> {
  if (method === undefined) {
    if (typeof id === "number") waiting.get(id)?.(result ?? {});
  } else if (id !== undefined) {
    cwd = params?.cwd ?? cwd;
    if (method === "session/prompt") await run(params?.prompt?.[0]?.text ?? "[]");
    send({ id, result: answers[method] ?? {} });
  }
}

const answers: Readonly<Record<string, object>> = {
  initialize: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } }, authMethods: [] },
  "session/new": { sessionId },
  "session/prompt": { stopReason: "end_turn" },
};

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void receive(JSON.parse(line) as Message);
});
process.stdin.on("end", () => process.exit(0));
