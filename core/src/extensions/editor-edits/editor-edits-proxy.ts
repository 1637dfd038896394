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

/** The tools with which an agent changes files, and where a request to open a session leaves them out. */
interface EditTools {
  readonly names: readonly string[];
  /** Of the request's parameters. */
  readonly leftOutAt: readonly [string, ...string[]];
}

/** How agents change files, by the name that an agent gives itself. */
interface EditHabits {
  /** Returns the tools that sessions can do without; undefined if there are none. */
  readonly editToolsOf: (name: unknown) => EditTools | undefined;
  /** Whether the agent writes the disk without waiting for the editor. */
  readonly writesBesideEditor: (name: unknown) => boolean;
}

/**
 * Has Claude change files through the editor, which can then show them for review: its own tools for that, which write
 * to the disk, are left out of the session, and an MCP server has the same ones over `fs/read_text_file` and
 * `fs/write_text_file`. Edits of an agent that writes the disk beside the editor are written by the editor first. Does nothing for
 * other agents, and for editors without these methods.
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
      /** Set while the agent is one that can do without its own tools, and the editor writes files. */
      let editToolsOff: EditTools | undefined;
      /** Set while the agent writes the disk beside the editor. */
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

/** The set-up request with Claude's own tools left out, besides those that the client leaves out. */
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

/** `params` with the tool call in its member `key` shown as the edit that it is; undefined where there is none of ours. */
function shownIn(text: string | undefined, params: Json | undefined, key: string): Json | undefined {
  if (!params || text === undefined || !mayShowEdit(text)) return undefined;
  const call = memberOf(params, key);
  const shown = call && shownEdit(call);
  return shown && withMember(params, [key], shown);
}

/** What Claude calls our tools that change files: those of the MCP server `editor-edits`. */
const toolPrefix = "mcp__editor-edits__";
const changing = new Set([`${toolPrefix}write`, `${toolPrefix}edit`]);

/** Whether a message may be about one of our tools: a look at its text, before anybody parses it. */
function mayShowEdit(text: string): boolean {
  return text.includes(toolPrefix);
}

/**
 * A tool call (ACP `ToolCall` or an update of one) of our tools as what it is, an edit of a file: its kind, title and
 * place, and the difference where it has none. Undefined for all other tool calls.
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
 * The edits of an agent that, once the user has allowed one, has the editor write the file and writes the disk at the same
 * time. What the editor then finds on the disk is a matter of luck, and with it whether there is a change to show. So the
 * editor writes before the agent hears the answer, and the agent's own request, which it makes of what stands on the disk
 * by then, is answered in the editor's place.
 */
class AllowedEdits {
  /** Written here, and not asked for by the agent since: by session and path. */
  readonly #written = new Set<string>();

  constructor(private readonly chain: ProxyChain) {}

  /**
   * Has the editor write the file that a question shows, if the answer allows it: the whole file before and after, which
   * the editor still has as it was. Never rejects: what is not written here, the agent writes.
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
    // Editors answer for a file that is not there with an empty text, or with an error.
    const before = shown.isError ? "" : shown.json.object?.["content"];
    if (before !== (oldText ?? "")) return;
    const done = await ask(client, Request.of("fs/write_text_file", { sessionId, path, content: newText }));
    if (!done.isError) this.#written.add(keyOf(sessionId, path));
  }

  /** The answer to the agent's own request for what has been written here; undefined where that is not so. */
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
