import { acpMethods } from "../../acp/methods.js";
import type { Proxy, ProxyHandlers, ProxySession, RequestHandler } from "../../conductor/proxy.js";
import { ToolServer } from "../../mcp/tool-server.js";
import { asObject, Json } from "../../rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../rpc/json-edit.js";
import { Notification, Request } from "../../rpc/message.js";
import type { Peer } from "../../rpc/peer.js";
import type { EditorDisk } from "../editor-files/editor-disk.js";
import { EditorFiles } from "../editor-files/editor-files.js";
import { takesFiles } from "../editor-files/takes-files.js";
import { editInstructions, editTools } from "./edit-tools.js";
import { mayShowEdit, shownEdit } from "./shown-edit.js";

/** Claude Code behind its adapter, under the names that it has had. */
const claude = /^@(?:agentclientprotocol|zed-industries)\/claude-(?:agent|code)-acp$/;
/** Claude's own tools whose work ours do. */
const replacedTools = ["Write", "Edit", "MultiEdit"];
/** Where Claude's adapter takes options of a session, in the parameters that open it. */
const disallowedTools = ["_meta", "claudeCode", "options", "disallowedTools"] as const;

/**
 * Has Claude change files through the editor, which can then offer them for review: its own tools for that, which write
 * to the disk, are left out of the session, and an MCP server has the same ones over `fs/read_text_file` and
 * `fs/write_text_file`. Does nothing for other agents, and for editors without these methods.
 */
export function editorEditsProxy(disk: EditorDisk, version: string): Proxy {
  return {
    name: "editor-edits",
    connect: ({ client, successor }): ProxyHandlers => {
      let isActive = false;
      const setUp: RequestHandler = (request, reply) =>
        successor.request(isActive ? withoutOwnTools(request) : request, reply);
      return {
        clientRequests: {
          [acpMethods.initialize]: (request, reply) => {
            const canWrite = takesFiles(request);
            return successor.request(request, (outcome) => {
              const name = asObject(outcome.json.object?.["agentInfo"])?.["name"];
              isActive = canWrite && typeof name === "string" && claude.test(name);
              reply(outcome);
            });
          },
          [acpMethods.sessionNew]: setUp,
          [acpMethods.sessionLoad]: setUp,
          [acpMethods.sessionResume]: setUp,
          [acpMethods.sessionFork]: setUp,
        },
        agentRequests: {
          [acpMethods.requestPermission]: (request, reply) =>
            client.request(isActive ? shownRequest(request) : request, reply),
        },
        agentNotifications: {
          [acpMethods.sessionUpdate]: (notification) => (isActive ? shownUpdate(notification) : notification),
        },
        mcpServers: (session) => (isActive ? [toServer(session, client, disk, version)] : []),
      };
    },
  };
}

function toServer(session: ProxySession, client: Peer, disk: EditorDisk, version: string): ToolServer {
  const files = new EditorFiles(client, disk, () => session.sessionId, session.cwd);
  return new ToolServer({ name: "editor-edits", version, instructions: editInstructions, tools: editTools(files) });
}

/** The set-up request with Claude's own tools left out, besides those that the client leaves out. */
function withoutOwnTools(request: Request): Request {
  const params = request.params ?? Json.of({});
  const given = disallowedTools.reduce<Json | undefined>((json, key) => json && memberOf(json, key), params);
  const tools = [...((given && elementsOf(given)) ?? []), ...replacedTools.map((tool) => Json.of(tool))];
  return new Request(request.method, withMember(params, disallowedTools, arrayOf(tools)));
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
