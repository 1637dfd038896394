import { asObject } from "../base/rpc/json.js";
import { fault, Place } from "../base/problem.js";
import type { Fault, Problem } from "../base/problem.js";
import { usualServerText } from "./pasted-server.js";
import { serverInput } from "./server-input.js";
import {
  args,
  choice,
  describeValue,
  dictionary,
  env,
  flag,
  list,
  mapped,
  optional,
  record,
  text,
  wholeNumber,
} from "./shape.js";
import type { JsonSchema, Shape } from "./shape.js";
import type { ServerInput, ServerLaunch, ServerOrigin, UserServer } from "./user-server.js";

export const serverKeys = ["mcpServers", "inputs"] as const;

/** Maximum timer delay in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

function milliseconds(description: string): Shape<number> {
  return wholeNumber({ unit: "milliseconds", maximum: maxTimerMs, description });
}

const transport = choice(["stdio", "http", "sse"], "Inferred from `command` or `url` by default.");

const there = choice(["there"], "Keeps the server from agents on other machines.");

/** URL, possibly starting with a variable. Messages omit the value, which may contain a key. */
const address: Shape<string> = {
  schema: {
    type: "string",
    pattern: "^(https?://.|\\$\\{)",
    description: "The server's URL.",
  },
  read(value, place) {
    if (typeof value === "string" && /^(?:https?:\/\/[^\s/]|\$\{)\S*$/i.test(value)) return value;
    const [scheme = "something else"] = typeof value === "string" ? (/^[a-z][\w+.-]*:/i.exec(value) ?? []) : [];
    return place.report(`${place.label} must be an address that begins with https:// or http://, got ${scheme}.`);
  },
};

/** Format of HTTP headers. Messages about headers never show a value. */
const headers = dictionary<string>(
  {
    schema: { type: "string" },
    read(value, place) {
      if (typeof value === "string" && !/[\r\n\0]/.test(value)) return value;
      return place.report(`${place.label} must be a single line of text.`, "Put its value in quotation marks.");
    },
  },
  "Headers sent with each request.",
);

const port = wholeNumber({
  maximum: 65_535,
  description: "Port of http://127.0.0.1:PORT/callback, if that address is registered with the client ID.",
});

const oauth = record(
  {
    clientId: optional(text("The client ID, if one is registered.")),
    clientSecret: optional(text("The client secret, such as ${secret:NAME}.")),
    scopes: optional(list(text("A scope."), "Scopes to request.")),
    callbackPort: optional(port),
  },
  {
    description:
      "Values already registered with the authorization server. Without them, signing in registers a client.",
  },
);

const toolNames = (description: string) => list(text("A tool's name; * matches any characters."), description);

const entry = record(
  {
    type: optional(transport),
    command: optional(text("The program's name, looked up on PATH, or its path.")),
    args: optional(args),
    env: optional(env),
    cwd: optional(text("Working folder; the session's by default.")),
    envFile: optional(text("A file with NAME=value lines; `env` takes precedence.")),
    url: optional(address),
    headers: optional(headers),
    tools: optional(toolNames("Tools that agents get; all by default.")),
    excludeTools: optional(toolNames("Tools that agents don't get.")),
    enabled: optional(flag("Whether agents get this server; true by default.")),
    disabled: optional(flag("The opposite of `enabled`.")),
    agents: optional(list(text("An agent's id, such as claude-code."), "Agents that get this server; all by default.")),
    on: optional(there),
    startTimeoutMs: optional(milliseconds("Start timeout, in milliseconds.")),
    callTimeoutMs: optional(milliseconds("How long a tool call may be silent, in milliseconds.")),
    oauth: optional(oauth),
  },
  {
    description:
      "An MCP server: a `command` or a `url`. Values can use ${env:NAME}, ${env:NAME:-default}, ${secret:NAME}, " +
      "${input:ID}, ${workspaceFolder} and ${userHome}.",
  },
);

type ServerEntry = NonNullable<ReturnType<typeof entry.read>>;

export const mcpServersSchema: JsonSchema = {
  type: "object",
  additionalProperties: entry.schema,
  description: "MCP servers that every agent gets, by name.",
};

export const inputsSchema: JsonSchema = {
  type: "array",
  items: serverInput.schema,
  description: "Values to prompt for when a server uses ${input:ID}.",
};

const server: Shape<Omit<UserServer, "name" | "origin">> = mapped(entry, (read, place) => {
  const launch = launchOf(read, place);
  if (!launch) return null;
  const { tools, excludeTools, agents, on, startTimeoutMs, callTimeoutMs } = read;
  return {
    launch,
    isEnabled: read.enabled !== false && read.disabled !== true,
    ...(tools && { tools }),
    ...(excludeTools && { excludeTools }),
    ...(agents && { agents }),
    ...(on && { on }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    ...(callTimeoutMs !== undefined && { callTimeoutMs }),
    ...(read.oauth && { oauth: read.oauth }),
  };
});

/**
 * Reads the servers in `mcpServers` and `inputs`. Omits invalid servers with a warning. Accepts other products' spellings with a warning
 * that shows the correct one. Doesn't expand variables.
 */
export function readMcpServers(
  { mcpServers, inputs }: { readonly mcpServers?: unknown; readonly inputs?: unknown },
  origin: ServerOrigin,
  place: Place,
): readonly UserServer[] {
  const warn = place.as("warning");
  const described = inputs === undefined ? [] : readInputs(inputs, warn.child("inputs"));
  if (mcpServers === undefined) return [];
  const below = warn.child("mcpServers");
  const entries = asObject(mcpServers);
  if (!entries) {
    below.report(
      `${below.label} must be an object, got ${describeValue(mcpServers)}.`,
      'Write { "NAME": { "command": "..." } }.',
    );
    return [];
  }
  return Object.entries(entries).flatMap(([name, value]) => {
    const unusable = nameFault(name);
    if (unusable) below.report(`${unusable.message} It is skipped.`, unusable.hint);
    const read = unusable ? null : server.read(usualServerText(value, below.child(name)), below.child(name));
    if (!read) return [];
    const used = usedInputs(described, read.launch);
    return [{ name, origin, ...read, ...(used.length > 0 && { inputs: used }) }];
  });
}

/** Reads servers and their problems from a value outside a file, such as an editor's setting. */
export function parseMcpServers(
  mcpServers: unknown,
  origin: ServerOrigin,
): { readonly servers: readonly UserServer[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const servers = readMcpServers({ mcpServers }, origin, new Place(problems));
  return { servers, problems };
}

/** Maximum length of a server name, since names appear in terminals and commands. */
const maxNameLength = 100;
const nameRule = `A name must be a single line of at most ${maxNameLength} characters.`;

/** Returns why `name` is invalid for a server; undefined if valid. */
export function nameFault(name: string): Fault | undefined {
  // oxlint-disable-next-line no-control-regex -- these are what a name may not have
  const isPlain = !/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(name);
  if (isPlain && name.trim() !== "" && name.length <= maxNameLength) return undefined;
  return fault(`${describeValue(name)} can't be used as a server name.`, nameRule);
}

export function usedInputs(inputs: readonly ServerInput[], launch: ServerLaunch): readonly ServerInput[] {
  const texts = JSON.stringify(launch);
  return inputs.filter(({ id }) => texts.includes(JSON.stringify(`\${input:${id}}`).slice(1, -1)));
}

function readInputs(value: unknown, place: Place): readonly ServerInput[] {
  if (!Array.isArray(value)) {
    place.report(`${place.label} must be a list, got ${describeValue(value)}.`);
    return [];
  }
  const read = value.map((one, index) => serverInput.read(one, place.child(index)));
  return [...new Map(read.flatMap((input) => (input ? [[input.id, input] as const] : []))).values()];
}

function launchOf(read: ServerEntry, place: Place): ServerLaunch | null {
  const { command, url } = read;
  const type = read.type ?? (url === undefined ? "stdio" : "http");
  const [needed, other] = type === "stdio" ? (["command", "url"] as const) : (["url", "command"] as const);
  if (read[needed] === undefined)
    return place.report(`${place.label} has no "${needed}".`, "A server needs a command or a url.");
  if (read[other] !== undefined) {
    return place.report(
      `${place.label} has a "command" and a "url".`,
      `Remove one of them; "${other}" contradicts its type.`,
    );
  }
  if (type !== "stdio") return { type, url: url ?? "", headers: read.headers ?? {} };
  const { cwd, envFile } = read;
  return {
    type,
    command: command ?? "",
    args: read.args ?? [],
    env: read.env ?? {},
    ...(cwd !== undefined && { cwd }),
    ...(envFile !== undefined && { envFile }),
  };
}
