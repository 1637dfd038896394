import { acpMethods, sessionHandlers } from "../../base/acp/methods.js";
import type { Proxy, ProxyChain, ProxyHandlers, ProxySession, RequestHandler } from "../../conductor/chain/proxy.js";
import { ToolServer } from "../../base/mcp/tool-server.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { ask, nothingToCancel } from "../../base/rpc/peer.js";
import { type EditorDisk, EditorFiles, takesFiles } from "../editor-files/editor-files.js";
import { editInstructions, editTools } from "./edit-tools.js";
import { objectsOf } from "../../conductor/client/unchecked.js";

/** An agent's own edit tools, and the parameter that excludes tools from a session. */
interface EditTools {
  readonly names: readonly string[];
  /** Path in the request's parameters. */
  readonly leftOutAt: readonly [string, ...string[]];
}

/** Edit behavior of agents, by the name in their `agentInfo`. */
interface EditHabits {
  /** Returns the tools to exclude; undefined if there are none. */
  readonly editToolsOf: (name: unknown) => EditTools | undefined;
  /** Whether the agent writes to disk without waiting for the editor. */
  readonly writesBesideEditor: (name: unknown) => boolean;
}

/**
 * Makes Claude edit files through the editor, which can then show them for review. Excludes Claude's own edit tools and adds an MCP server
 * with the same tools over `fs/read_text_file` and `fs/write_text_file`. For agents that write to disk at the same time, the editor writes
 * first. Does nothing for other agents, or if the editor lacks these methods.
 */
export function editorEditsProxy(
  disk: EditorDisk,
  version: string,
  { editToolsOf, writesBesideEditor }: EditHabits,
): Proxy {
  return {
    name: "editor-edits",
    connect: (chain): ProxyHandlers => {
      const { client, successor } = chain;
      /** Set if the agent's own edit tools can be excluded and the editor writes files. */
      let editToolsOff: EditTools | undefined;
      /** Set if the agent writes to disk at the same time as the editor. */
      let allowedEdits: AllowedEdits | undefined;
      const setUp: RequestHandler = (request, reply) =>
        successor.request(editToolsOff ? withoutOwnTools(request, editToolsOff) : request, reply);
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) => {
            const canWrite = takesFiles(request);
            return successor.request(request, (outcome) => {
              const name = asObject(outcome.json.object?.["agentInfo"])?.["name"];
              editToolsOff = canWrite ? editToolsOf(name) : undefined;
              allowedEdits = canWrite && writesBesideEditor(name) ? new AllowedEdits(chain) : undefined;
              reply(outcome);
            });
          },
          ...sessionHandlers<RequestHandler>(setUp),
        },
        agentRequests: {
          [acpMethods.requestPermission]: (request, reply) => {
            const edits = allowedEdits;
            if (!edits) return client.request(editToolsOff ? shownRequest(request) : request, reply);
            return client.request(request, (outcome) => void edits.write(request, outcome).then(() => reply(outcome)));
          },
          "fs/write_text_file": (request, reply) => {
            const answer = allowedEdits?.answerTo(request);
            if (!answer) return client.request(request, reply);
            reply(answer);
            return nothingToCancel;
          },
        },
        agentNotifications: {
          [acpMethods.sessionUpdate]: (notification) => (editToolsOff ? shownUpdate(notification) : notification),
        },
        mcpServers: (session) => (editToolsOff ? [toServer(session, chain, disk, version)] : []),
      };
    },
  };
}

function toServer(session: ProxySession, chain: ProxyChain, disk: EditorDisk, version: string): ToolServer {
  const files = new EditorFiles(chain, disk, () => session.sessionId, session.cwd);
  return new ToolServer({ name: "editor-edits", version, instructions: editInstructions, tools: editTools(files) });
}

/** Adds Claude's own edit tools to the tools that the client already excludes. */
function withoutOwnTools(request: Request, { names, leftOutAt }: EditTools): Request {
  const params = request.params ?? Json.of({});
  const given = leftOutAt.reduce<Json | undefined>((json, key) => json && memberOf(json, key), params);
  const tools = [...((given && elementsOf(given)) ?? []), ...names.map((tool) => Json.of(tool))];
  return new Request(request.method, withMember(params, leftOutAt, arrayOf(tools)));
}

function shownRequest(request: Request): Request {
  const shown = shownIn(request.frame?.text ?? request.params?.text, request.params, "toolCall");
  return shown ? new Request(request.method, shown) : request;
}

function shownUpdate(notification: Notification): Notification {
  const shown = shownIn(notification.frame?.text ?? notification.params?.text, notification.params, "update");
  return shown ? new Notification(notification.method, shown) : notification;
}

/** Shows the tool call in the member `key` as an edit; undefined if it isn't a tool of this server. */
function shownIn(text: string | undefined, params: Json | undefined, key: string): Json | undefined {
  if (!params || text === undefined || !mayShowEdit(text)) return undefined;
  const call = memberOf(params, key);
  const shown = call && shownEdit(call);
  return shown && withMember(params, [key], shown);
}

/** Claude's names for the edit tools of the MCP server `editor-edits`. */
const toolPrefix = "mcp__editor-edits__";
const changing = new Set([`${toolPrefix}write`, `${toolPrefix}edit`]);

/** Whether a message may concern a tool of this server. Checks the raw text to avoid parsing. */
function mayShowEdit(text: string): boolean {
  return text.includes(toolPrefix);
}

/**
 * Shows a call of these tools (ACP `ToolCall` or its update) as a file edit, with kind, title, location and a missing diff. Returns
 * undefined for other tool calls.
 */
function shownEdit(call: Json): Json | undefined {
  const { _meta, title, rawInput, content } = call.object ?? {};
  const named = asObject(asObject(_meta)?.["claudeCode"])?.["toolName"] ?? title;
  if (typeof named !== "string" || !changing.has(named)) return undefined;
  const { file_path: path, old_string: oldText = null, new_string, content: whole } = asObject(rawInput) ?? {};
  const edit = withMember(call, ["kind"], Json.of("edit"));
  if (typeof path !== "string") return edit;
  const placed = withMember(
    withMember(edit, ["title"], Json.of(`${named === `${toolPrefix}edit` ? "Edit" : "Write"} ${path}`)),
    ["locations"],
    Json.of([{ path }]),
  );
  const newText = new_string ?? whole;
  if (typeof newText !== "string" || (Array.isArray(content) && content.length > 0)) return placed;
  return withMember(placed, ["content"], Json.of([{ type: "diff", path, oldText, newText }]));
}

/**
 * Writes an allowed edit through the editor before the agent gets the answer. Such an agent asks the editor to write and writes to disk at
 * the same time, so the editor might find no change to show. The agent's own write request is then answered without the editor.
 */
class AllowedEdits {
  /** Edits written here that the agent hasn't requested yet, by session and path. */
  readonly #written = new Set<string>();

  constructor(private readonly chain: ProxyChain) {}

  /**
   * Writes the edit of a permission request through the editor if the answer allows it and the editor's text is unchanged. Never rejects;
   * the agent writes what wasn't written here.
   */
  async write({ params }: Request, answer: Outcome): Promise<void> {
    const { sessionId, toolCall, options } = params?.object ?? {};
    const [edit, ...others] = objectsOf(asObject(toolCall)?.["content"]);
    const { type, path, oldText, newText } = edit ?? {};
    if (others.length > 0 || type !== "diff" || typeof newText !== "string" || typeof path !== "string") return;
    this.#written.delete(keyOf(sessionId, path));
    if (!isAllowed(answer, options) || this.chain.refuseFile?.(path, true) !== undefined) return;
    const { client } = this.chain;
    const shown = await ask(client, Request.of("fs/read_text_file", { sessionId, path }));
    // For a missing file, editors return an empty text or an error.
    const before = shown.isError ? "" : shown.json.object?.["content"];
    if (before !== (oldText ?? "")) return;
    const done = await ask(client, Request.of("fs/write_text_file", { sessionId, path, content: newText }));
    if (!done.isError) this.#written.add(keyOf(sessionId, path));
  }

  /** Returns the response to the agent's request for an edit written here; undefined for other requests. */
  answerTo({ params }: Request): Outcome | undefined {
    const { sessionId, path } = params?.object ?? {};
    return this.#written.delete(keyOf(sessionId, path)) ? Outcome.result(Json.of({})) : undefined;
  }
}

function isAllowed(answer: Outcome, options: unknown): boolean {
  const { outcome, optionId } = asObject(answer.json.object?.["outcome"]) ?? {};
  const chosen = objectsOf(options).find((option) => option["optionId"] === optionId);
  return !answer.isError && outcome === "selected" && String(chosen?.["kind"]).startsWith("allow");
}

function keyOf(sessionId: unknown, path: unknown): string {
  return `${String(sessionId)} ${String(path)}`;
}
