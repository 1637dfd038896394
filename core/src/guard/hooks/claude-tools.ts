import { mcpToolsOf } from "../../base/acp/mcp-tool-call.js";
import { asObject, type Members, objectsOf, stringOf, textOf } from "../../base/rpc/json.js";
import { canonicalJson } from "../../settings/project/approved-content.js";
import { parseShellWords } from "../../base/shell-words.js";
import { requestedCommand } from "../../base/safety/requested-command.js";

/** A tool call in Claude Code's terms. */
export interface ClaudeCall {
  readonly tool: string;
  readonly input: Members;
}

interface CallPlace {
  /** Names of the session's MCP servers. */
  readonly servers: readonly string[];
  /** Returns the absolute path of a path that the agent named. */
  readonly absolute: (path: string) => string;
  /** Whether the agent uses a command as the title of a request to run it. */
  readonly titlesCommands: boolean;
}

interface Row {
  readonly tool: string;
  /** ACP `ToolKind`s of the calls. The first row with a kind is that kind's default. */
  readonly kinds: readonly string[];
  /** Names that agents give to the tool, in lower case without separators. */
  readonly names: readonly string[];
  /** Claude Code's members with the agents' members to read them from, by preference. Absent members are left out. */
  readonly input: Readonly<Record<string, readonly string[]>>;
}

const path = ["file_path", "path", "absolute_path", "filePath", "filename", "file"];

/** Claude Code's tools and the calls of other agents that they stand for. */
const rows: readonly Row[] = [
  { tool: "Bash", kinds: ["execute"], names: ["bash", "shell", "runshellcommand", "execcommand"], input: {} },
  {
    tool: "Edit",
    kinds: ["edit"],
    names: ["edit", "editfile", "replace", "strreplace", "multiedit", "applypatch"],
    input: {
      file_path: path,
      old_string: ["old_string", "oldString", "old_str", "oldText"],
      new_string: ["new_string", "newString", "new_str", "newText"],
      replace_all: ["replace_all", "replaceAll"],
    },
  },
  {
    tool: "Write",
    kinds: ["edit"],
    names: ["write", "writefile", "create", "createfile"],
    input: { file_path: path, content: ["content", "contents", "file_text", "text", "newText"] },
  },
  {
    tool: "Read",
    kinds: ["read"],
    names: ["read", "readfile", "view"],
    input: { file_path: path, offset: ["offset", "start_line"], limit: ["limit"] },
  },
  {
    tool: "Grep",
    kinds: ["search"],
    names: ["grep", "grepsearch", "searchfilecontent", "ripgrep", "rg"],
    input: { pattern: ["pattern", "query", "regex"], path: ["path", "dir_path"], glob: ["glob", "include"] },
  },
  {
    tool: "Glob",
    kinds: ["search"],
    names: ["glob", "findfiles"],
    input: { pattern: ["pattern"], path: ["path", "dir_path"] },
  },
  { tool: "WebFetch", kinds: ["fetch"], names: ["webfetch", "fetch"], input: { url: ["url"], prompt: ["prompt"] } },
  {
    tool: "WebSearch",
    kinds: ["search", "fetch"],
    names: ["websearch", "googlewebsearch"],
    input: { query: ["query", "q"], allowed_domains: ["allowed_domains"], blocked_domains: ["blocked_domains"] },
  },
  {
    tool: "Agent",
    kinds: ["think"],
    names: ["agent", "task", "delegate"],
    input: {
      prompt: ["prompt", "task"],
      description: ["description"],
      subagent_type: ["subagent_type", "agent_name", "agent"],
    },
  },
];

/**
 * Translates a merged ACP tool call to Claude Code's tool names and inputs: one call for each edit. Claude Code's calls keep
 * their names and inputs. Calls without a counterpart keep the agent's name. A command is always `Bash`, since titles can contain the model's
 * text.
 */
export function claudeCallsOf(call: Members, place: CallPlace): readonly ClaudeCall[] {
  const input = asObject(call["rawInput"]) ?? {};
  const own = stringOf(asObject(asObject(call["_meta"])?.["claudeCode"])?.["toolName"]);
  if (own !== undefined) return [{ tool: own, input: withAbsolute(input, place) }];
  const kind = stringOf(call["kind"]) ?? "other";
  const isCommand = kind === "execute" && (requestedCommand(input) !== undefined || place.titlesCommands);
  const [mcp] = isCommand ? [] : mcpToolsOf(call, place.servers);
  if (mcp) return [{ tool: `mcp__${mcp.server}__${mcp.tool}`, input: mcpInput(mcp, input) }];
  const name = nameOf(call);
  const key = name.toLowerCase().replace(/[^a-z]/g, "");
  const fits = rows.filter(({ kinds }) => kind === "other" || kinds.includes(kind));
  const row = fits.find(({ names }) => names.includes(key)) ?? (kind === "other" ? undefined : fits[0]);
  if (!row) return [{ tool: name || kind, input }];
  if (row.tool === "Bash") return [{ tool: "Bash", input: bashInput(call, input, place) }];
  if (row.tool !== "Edit" && row.tool !== "Write") return [{ tool: row.tool, input: translated(row, input, place) }];
  const edits = editsOf(call);
  if (edits.length < 2) return [fileCall(row, { ...edits[0], ...input }, place)];
  return edits.map((edit) => fileCall(row, { ...input, ...preferred(edit) }, place));
}

/** Returns the agent's name of the tool, with which a title usually begins. */
function nameOf(call: Members): string {
  const given = [asObject(call["_meta"])?.["toolName"], call["name"], call["title"]].find((one) => stringOf(one));
  return /^[\w.-]{1,64}(?=$|[\s:(])/.exec(textOf(given))?.[0] ?? "";
}

/** Codex wraps a tool's arguments in an object with server and tool. */
function mcpInput({ server, tool }: { readonly server: string; readonly tool: string }, input: Members): Members {
  const wrapped = input["server"] === server && input["tool"] === tool ? asObject(input["arguments"]) : undefined;
  return wrapped ?? input;
}

function bashInput(call: Members, input: Members, { titlesCommands }: CallPlace): Members {
  const line = requestedCommand(input)?.text ?? (titlesCommands ? stringOf(call["title"]) : undefined);
  const command = line && scriptIn(line);
  const { description, timeout, run_in_background: inBackground } = input;
  return given({ command, description, timeout, run_in_background: inBackground });
}

/** Returns the script of a command line such as `/bin/bash -lc '…'`, as which Codex writes all its commands. */
function scriptIn(line: string): string {
  const words = /^\S*sh\s+-l?c\s/.test(line) ? parseShellWords(line) : undefined;
  if (!words || words.kind === "problem") return line;
  const { args } = words.command;
  return args.length === 2 ? (args[1] ?? line) : line;
}

/** Returns the edits of a call: its diffs, or else its locations. */
function editsOf(call: Members): readonly Members[] {
  const diffs = objectsOf(call["content"]).filter(({ type }) => type === "diff");
  const edits = (diffs.length > 0 ? diffs : objectsOf(call["locations"])).map(({ path: file, oldText, newText }) =>
    given({ path: file, oldText, newText }),
  );
  return [...new Map(edits.map((edit) => [canonicalJson(edit), edit])).values()];
}

/** Returns an edit with the members that {@link rows} prefer, so that they replace those of the whole call's input. */
function preferred({ path: file, oldText = "", newText }: Members): Members {
  const texts = newText === undefined ? {} : { old_string: oldText, new_string: newText, content: newText };
  return { file_path: file, ...texts };
}

function fileCall(row: Row, input: Members, place: CallPlace): ClaudeCall {
  const mapped = translated(row, input, place);
  if (row.tool === "Write" || textOf(mapped["old_string"]) !== "") return { tool: row.tool, input: mapped };
  // An edit without an old text makes the whole file.
  const write = rows.find(({ tool }) => tool === "Write") ?? row;
  return { tool: "Write", input: translated(write, input, place) };
}

function translated({ input: members }: Row, input: Members, place: CallPlace): Members {
  const read = Object.entries(members).map(([name, sources]) => {
    const source = sources.find((one) => input[one] !== undefined && input[one] !== null);
    return [name, source === undefined ? undefined : input[source]] as const;
  });
  return withAbsolute(given(Object.fromEntries(read)), place);
}

function withAbsolute(input: Members, { absolute }: CallPlace): Members {
  const named = input["file_path"];
  return typeof named === "string" ? { ...input, file_path: absolute(named) } : input;
}

function given(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

/** Returns a finished call's result in the form of Claude Code's `tool_response`. */
export function claudeResponseOf(call: Members, { tool, input }: ClaudeCall): unknown {
  const text = objectsOf(call["content"])
    .flatMap(({ content }) => stringOf(asObject(content)?.["text"]) ?? [])
    .join("\n");
  const output = call["rawOutput"];
  if (tool === "Bash") {
    const { stdout, stderr } = asObject(output) ?? {};
    const printed = stringOf(stdout) ?? stringOf(output) ?? stringOf(asObject(output)?.["output"]) ?? text;
    return { stdout: printed, stderr: textOf(stderr), interrupted: false, isImage: false };
  }
  if (tool === "Write" || tool === "Edit") return { filePath: input["file_path"], success: true };
  return output ?? { content: text };
}
