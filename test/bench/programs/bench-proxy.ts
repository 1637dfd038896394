import process from "node:process";

/*
 * A proxy in a process of its own that passes everything on, as cheaply as one that parses its messages can: the
 * lines of one read leave in one write.
 */

interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: { readonly method?: string; readonly params?: unknown };
  readonly result?: unknown;
  readonly error?: unknown;
}

const successor = "proxy/successor";
const initialize = "proxy/initialize";
const methodNotFound = { code: -32601, message: "Method not found" };

const idsByOwn = new Map<number, Message["id"]>();
let nextId = 1;
let output = "";

function send(message: Readonly<Record<string, unknown>>): void {
  output += `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** A request gets an id of ours; a notification has none. */
function forward(id: Message["id"], method: string | undefined, params: unknown): void {
  if (id === undefined) return send({ method, params });
  const own = nextId++;
  idsByOwn.set(own, id);
  send({ id: own, method, params });
}

function receive(line: string): void {
  const { id, method, params, ...answer } = JSON.parse(line) as Message;
  if (method === undefined) {
    const own = Number(id);
    send({ id: idsByOwn.get(own), ...answer });
    idsByOwn.delete(own);
  } else if (method === successor) forward(id, params?.method, params?.params);
  else if (method === initialize) forward(id, successor, { method: "initialize", params });
  else if (method.startsWith("_proxy/")) send({ id, error: methodNotFound });
  else forward(id, successor, { method, params });
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) receive(line);
  process.stdout.write(output);
  output = "";
});
process.stdin.on("end", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));
