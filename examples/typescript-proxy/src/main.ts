#!/usr/bin/env node
// A proxy between an editor and an agent. It speaks JSON-RPC over stdio, one message a line, with the conductor alone:
// plain messages are from and for the editor, those in a `proxy/successor` envelope from and for the agent.

/** Any JSON-RPC message: a request (method and id), a notification (method alone) or an answer (id alone). */
interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: unknown;
  readonly error?: unknown;
}
type Params = Readonly<Record<string, unknown>>;
type Answer = { readonly result: unknown } | { readonly error: unknown };

const serverId = `words:${process.pid}`;
/** The user's own by `"options": { "advice": "…" }` in config.jsonc. */
let advice = "Be brief, and let the tool word_count count words.";

let nextId = 1;
/** Callbacks for answers to our requests, by our id. */
const waiting = new Map<unknown, (answer: Message) => void>();
/** Our id for what we forwarded, by the id under which it came. */
const forwarded = new Map<unknown, number>();
/** Sessions that have not been prompted yet. */
const fresh = new Set<unknown>();

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

/** Sends a call on, and its answer back under the id under which the call came; `edit` sees the answer on its way. */
function forward(id: Message["id"], call: object, edit?: (answer: Message) => void): void {
  if (id === undefined) {
    send(call);
    return;
  }
  const ownId = nextId++;
  forwarded.set(id, ownId);
  waiting.set(ownId, (answer) => {
    forwarded.delete(id);
    edit?.(answer);
    send({ ...answer, id });
  });
  send({ ...call, id: ownId });
}

/** A call in the envelope that takes it toward the agent. */
function toAgent(method: string, params: Params | undefined): object {
  return { method: "proxy/successor", params: { method, ...(params && { params }) } };
}

/** Options of the user's configuration are in `_meta.symposium.options`. */
function adviceOf(params: Params | undefined): string | undefined {
  const meta = params?.["_meta"] as { readonly symposium?: { readonly options?: Params } } | undefined;
  const given = meta?.symposium?.options?.["advice"];
  return typeof given === "string" ? given : undefined;
}

/** Handles a message from the editor. Forwards unknown methods to the agent unmodified. */
function fromEditor(id: Message["id"], method: string, params: Params | undefined): void {
  switch (method) {
    case "proxy/initialize":
      advice = adviceOf(params) ?? advice;
      forward(id, toAgent("initialize", params));
      return;
    case "_proxy/initialize": // An older dialect. The conductor goes on with the newer one when we refuse.
      send({ id, error: { code: -32601, message: "This proxy speaks proxy/initialize." } });
      return;
    case "session/new":
    case "session/load":
    case "session/resume":
    case "session/fork": {
      const servers = Array.isArray(params?.["mcpServers"]) ? (params["mcpServers"] as unknown[]) : [];
      const mcpServers = [...servers, { type: "acp", name: "words", serverId }];
      forward(id, toAgent(method, { ...params, mcpServers }), ({ result }) => {
        if (result instanceof Object && "sessionId" in result) fresh.add(result.sessionId);
      });
      return;
    }
    case "session/prompt": {
      const blocks = Array.isArray(params?.["prompt"]) ? (params["prompt"] as unknown[]) : [];
      const isFirst = fresh.delete(params?.["sessionId"]);
      const prompt = isFirst ? [...blocks, { type: "text", text: advice }] : blocks;
      forward(id, toAgent(method, { ...params, prompt }));
      return;
    }
    default:
      forward(id, toAgent(method, params));
  }
}

/** Handles a message from the agent. Answers calls to our MCP server, and forwards all other messages to the editor unmodified. */
function fromAgent(id: Message["id"], method: string, params: Params | undefined): void {
  if (method === "mcp/message" && params?.["serverId"] === serverId) {
    if (id !== undefined) send({ id, result: callServer(params["method"], params["params"] as Params | undefined) });
  } else forward(id, { method, ...(params && { params }) });
}

/** Our MCP server, of revision 2026-07-28: every request stands alone. */
function callServer(method: unknown, params: Params | undefined): Answer {
  const cache = { ttlMs: 0, cacheScope: "private" };
  const result = (members: Params): Answer => ({ result: { resultType: "complete", ...members } });
  switch (method) {
    case "server/discover": {
      const _meta = { "io.modelcontextprotocol/serverInfo": { name: "words", version: "0.1.0" } };
      return result({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, ...cache, _meta });
    }
    case "tools/list": {
      const inputSchema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
      const tool = { name: "word_count", description: "Counts the words of a text.", inputSchema };
      return result({ tools: [tool], ...cache });
    }
    case "tools/call": {
      const { text } = (params?.["arguments"] ?? {}) as Params;
      const count = typeof text === "string" ? text.split(/\s+/).filter(Boolean).length : 0;
      return result({ content: [{ type: "text", text: String(count) }] });
    }
    default:
      return { error: { code: -32601, message: `Method not found: ${String(method)}` } };
  }
}

function receive({ id, method, params, ...answer }: Message): void {
  if (method === undefined) {
    waiting.get(id)?.(answer);
    waiting.delete(id);
  } else if (method === "$/cancel_request") {
    const requestId = forwarded.get(params?.["requestId"]);
    if (requestId !== undefined) send({ method, params: { requestId } });
  } else if (method === "proxy/successor") {
    fromAgent(id, String(params?.["method"]), params?.["params"] as Params | undefined);
  } else fromEditor(id, method, params);
}

// Only "\n" ends a line: node:readline would also split at U+2028, which JSON may contain.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") receive(JSON.parse(line) as Message);
});
// When stdin ends, nothing is left to do, and Node exits by itself. Logs belong on stderr.
