import { arrayOf, objectOf, parseObject, stringOf, type JsonObject } from "../support/json.js";
import { projectFolder, RawClient } from "../support/raw-client.js";
import { pathWith } from "../support/repository.js";
import { saidLines } from "./requirement.js";

/** How an agent is given a server of the chain. */
export type McpForm = "native" | "http" | "stdio";

/** Revisions of MCP with a handshake, and the stateless one. */
export const handshakeVersions = ["2025-06-18", "2025-11-25"] as const;
export const statelessVersion = "2026-07-28";
type McpVersion = (typeof handshakeVersions)[number] | typeof statelessVersion;

/** One request to an MCP server; resolves with `{result}` or `{error}` as the agent gets it. */
type AskMcp = (method: string, params?: JsonObject) => Promise<JsonObject>;

/** A session of the agent, with the servers that reached it. */
interface AgentSession {
  readonly sessionId: string;
  readonly entries: readonly JsonObject[];
}

/** Opens a session by `method` and looks up what the agent got. */
export async function openAgentSession(
  client: RawClient,
  method = "session/new",
  mcpServers: readonly unknown[] = [],
  cwd = projectFolder,
): Promise<AgentSession> {
  await client.initialize();
  const known = method === "session/fork" ? await client.newSession() : `known-${method}`;
  const given = method === "session/new" ? {} : { sessionId: known };
  const answer = await client.request(method, { ...given, cwd, mcpServers });
  if (answer.isError) throw new Error(answer.text);
  const received = arrayOf(parseObject(await client.receivedByAgent())["received"]).map(objectOf);
  const params = objectOf(received.findLast((message) => message["method"] === method)?.["params"]);
  const sessionId = stringOf(objectOf(answer.value)["sessionId"]);
  return { sessionId: sessionId === "" ? known : sessionId, entries: arrayOf(params["mcpServers"]).map(objectOf) };
}

/** The form of an entry. */
export function formOf({ type }: JsonObject): McpForm {
  if (type === "acp") return "native";
  return type === "http" ? "http" : "stdio";
}

/** Speaks to the server behind an entry, as an agent would that got it. */
export async function connectMcp(
  { client, stack }: { readonly client: RawClient; readonly stack: AsyncDisposableStack },
  { sessionId }: AgentSession,
  entry: JsonObject,
  version: McpVersion,
): Promise<AskMcp> {
  const form = formOf(entry);
  if (form === "native") return askThroughAgent(client, sessionId, stringOf(entry["name"]));
  const ask = form === "http" ? askOverHttp(entry, version) : askProgram(entry, version, stack);
  if (version === statelessVersion) return ask.request;
  await ask.request("initialize", { protocolVersion: version, capabilities: {}, clientInfo: agentInfo });
  await ask.notify("notifications/initialized");
  return ask.request;
}

/** The entry's headers as `fetch` takes them. */
export function headersOf(entry: JsonObject): Record<string, string> {
  const pairs = arrayOf(entry["headers"]).map(objectOf);
  return Object.fromEntries(pairs.map(({ name, value }) => [stringOf(name), stringOf(value)]));
}

const agentInfo = { name: "agent", version: "1.0.0" };

const statelessMeta = {
  "io.modelcontextprotocol/protocolVersion": statelessVersion,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": agentInfo,
};

interface Asking {
  readonly request: AskMcp;
  notify(method: string): Promise<void>;
}

/** The scripted agent asks over ACP and says the answer. */
function askThroughAgent(client: RawClient, sessionId: string, name: string): AskMcp {
  return async (method, params = {}) => {
    const before = saidLines(client, sessionId).length;
    const turn = await client.prompt(sessionId, `mcp_call ${name} ${method} ${JSON.stringify(params)}`);
    const [line = turn.text] = saidLines(client, sessionId).slice(before);
    const answer = /^mcp\/message result (.*)$/.exec(line)?.[1];
    if (answer === undefined) throw new Error(line);
    return parseObject(answer);
  };
}

function askOverHttp(entry: JsonObject, version: McpVersion): Asking {
  const post = async (message: JsonObject): Promise<string> => {
    const { method, params } = message;
    const name = objectOf(params)["name"];
    const response = await fetch(stringOf(entry["url"]), {
      method: "POST",
      headers: {
        ...headersOf(entry),
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": version,
        "Mcp-Method": stringOf(method),
        ...(typeof name === "string" && { "Mcp-Name": name }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    return response.text();
  };
  return {
    request: async (method, params) => {
      const body = await post({ id: 1, method, params: paramsOf(version, params) });
      const lines = body.split("\n").map((line) => line.replace(/^data: /, ""));
      return lines.map(parseObject).findLast((message) => message["id"] === 1) ?? { error: body };
    },
    notify: async (method) => {
      await post({ method });
    },
  };
}

function askProgram(entry: JsonObject, version: McpVersion, stack: AsyncDisposableStack): Asking {
  const env = Object.fromEntries(
    arrayOf(entry["env"])
      .map(objectOf)
      .map(({ name, value }) => [stringOf(name), stringOf(value)]),
  );
  const words = [stringOf(entry["command"]), ...arrayOf(entry["args"]).map(stringOf)];
  const program = stack.use(new RawClient({ words, env: { ...env, PATH: pathWith() }, cwd: process.cwd() }));
  return {
    request: async (method, params) => {
      const { isError, value } = await program.request(method, paramsOf(version, params));
      return { [isError ? "error" : "result"]: value };
    },
    notify: (method) => {
      program.notify(method);
      return Promise.resolve();
    },
  };
}

function paramsOf(version: McpVersion, params: JsonObject = {}): JsonObject {
  return version === statelessVersion ? { ...params, _meta: statelessMeta } : params;
}
