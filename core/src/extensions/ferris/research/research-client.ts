import { acpMethods } from "../../../base/acp/methods.js";
import { messageOf } from "../../../base/symposium-error.js";
import type { RequestHandler } from "../../../conductor/chain/proxy.js";
import { asObject, type Members, objectsOf, stringOf } from "../../../base/rpc/json.js";
import { Outcome } from "../../../base/rpc/message.js";
import { nothingToCancel, type Peer } from "../../../base/rpc/peer.js";
import { RpcError } from "../../../base/rpc/rpc-error.js";
import type { ResearchSessionState } from "./research-session-state.js";
import { responseToolName, sourceToolName } from "./research-prompt.js";

type AnswerRequest = (session: ResearchSessionState, params: Members) => Promise<unknown>;

const readTextFile = "fs/read_text_file";

/** Methods with side effects or user interaction, denied in research sessions. */
const refusedMethods = [
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
] as const;

/**
 * Returns handlers for the agent's requests. Requests from research sessions are answered here without the user; all others go to `client`.
 */
export function researchClient(
  client: Peer,
  sessionOf: (sessionId: unknown) => ResearchSessionState | undefined,
): Readonly<Record<string, RequestHandler>> {
  const answers: [string, AnswerRequest][] = [
    [acpMethods.requestPermission, permissionResult],
    [readTextFile, readFile],
    ["elicitation/create", () => Promise.resolve({ action: "decline" })],
    ...refusedMethods.map((method): [string, AnswerRequest] => [method, () => Promise.resolve(refusal(method))]),
  ];
  return Object.fromEntries(answers.map(([method, answer]) => [method, handler(client, sessionOf, answer)]));
}

function handler(
  client: Peer,
  sessionOf: (sessionId: unknown) => ResearchSessionState | undefined,
  answer: AnswerRequest,
): RequestHandler {
  return (request, reply) => {
    const params = request.params?.object ?? {};
    const session = sessionOf(params["sessionId"]);
    if (!session) return client.request(request, reply);
    void answer(session, params).then(
      (result) => reply(result instanceof Outcome ? result : Outcome.of(result)),
      (fault: unknown) => reply(Outcome.error(RpcError.internal(messageOf(fault)))),
    );
    return nothingToCancel;
  };
}

/** `line` is one-based (ACP `ReadTextFileRequest`). */
async function readFile(session: ResearchSessionState, params: Members): Promise<unknown> {
  const { path, line, limit } = params;
  if (typeof path !== "string" || session.isOver || !(await isReadable(session, path))) return refusal(readTextFile);
  const text = await textOf(session, path);
  if (text === undefined) return Outcome.error(RpcError.invalidParams(`There is no text file ${path}`));
  const from = typeof line === "number" ? Math.max(line - 1, 0) : 0;
  const to = typeof limit === "number" ? from + limit : undefined;
  return { content: from === 0 && to === undefined ? text : text.split("\n").slice(from, to).join("\n") };
}

async function textOf(session: ResearchSessionState, path: string): Promise<string | undefined> {
  for (const folder of session.folders) {
    const relative = await folder.relativeTo(path);
    if (relative !== undefined) return folder.read(relative);
  }
  return undefined;
}

function refusal(method: string): Outcome {
  return Outcome.error(
    RpcError.invalidRequest(`${method} is refused: this session may only read files inside the crate's sources`),
  );
}

/**
 * Answers `session/request_permission` of a research session: allows reads and searches in its folders and the research tools, once each,
 * and rejects everything else. Selects options by kind, never by position.
 */
async function permissionResult(session: ResearchSessionState, params: Members): Promise<unknown> {
  const isAllowed = !session.isOver && (await mayRun(session, asObject(params["toolCall"]) ?? {}));
  const kinds = isAllowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const options: readonly unknown[] = Array.isArray(params["options"]) ? params["options"] : [];
  const known = options.map(asObject).filter((one) => one !== undefined);
  const chosen = kinds
    .map((kind) => known.find((option) => option["kind"] === kind))
    .find((option) => option !== undefined);
  const optionId = chosen?.["optionId"];
  return { outcome: typeof optionId === "string" ? { outcome: "selected", optionId } : { outcome: "cancelled" } };
}

/** Whether a path is inside the session's folders, after resolving links. Denies `~`. */
async function isReadable(session: ResearchSessionState, path: string): Promise<boolean> {
  if (path.startsWith("~")) return false;
  for (const folder of session.folders) {
    if ((await folder.relativeTo(path)) !== undefined) return true;
  }
  return false;
}

async function mayRun(session: ResearchSessionState, toolCall: Members): Promise<boolean> {
  const kind = toolCall["kind"] ?? session.kindOf(toolCall["toolCallId"]);
  if (isResearchTool(kind, toolCall)) return true;
  if (kind !== "read" && kind !== "search") return false;
  const paths = pathsIn(toolCall);
  // A search without a path is limited to the working folder, but a read could access any file.
  if (paths.length === 0) return kind === "search";
  for (const path of paths) if (!(await isReadable(session, path))) return false;
  return true;
}

const researchArguments = new Set(["response", "crate_name", "version", "server", "tool", "arguments"]);
const researchTool = new RegExp(String.raw`(?:^|[^A-Za-z\d])(?:${sourceToolName}|${responseToolName})(?![\w])`);

/** Agents also request permission for MCP tools and name them in the title, in various formats. */
function isResearchTool(kind: unknown, { title, rawInput }: Members): boolean {
  if (kind !== undefined && kind !== null && kind !== "other" && kind !== "think") return false;
  const keys = Object.keys(asObject(rawInput) ?? {});
  return typeof title === "string" && researchTool.test(title) && keys.every((key) => researchArguments.has(key));
}

/** Returns all paths in a tool call: its locations, and values in its input that look like paths. */
function pathsIn({ locations, rawInput }: Members): string[] {
  const located = objectsOf(locations).flatMap(({ path }) => stringOf(path) ?? []);
  return [...located, ...pathsBelow(rawInput, "", 0)];
}

const pathKey = /path|file|dir|folder|cwd|root/i;
/** Matches absolute paths, home paths and `..`. A search text such as `///` doesn't match. */
const pathValue = /^(?:\/[\w.~*-]|~|\\\\|[A-Za-z]:[\\/])|(?:^|[\\/])\.\.(?:[\\/]|$)/;

function pathsBelow(value: unknown, key: string, depth: number): string[] {
  if (typeof value === "string")
    return pathKey.test(key) || pathValue.test(value) ? [value.replace(/^file:\/\//, "")] : [];
  if (depth > 8) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => pathsBelow(one, key, depth + 1));
  return Object.entries(asObject(value) ?? {}).flatMap(([name, one]) => pathsBelow(one, name, depth + 1));
}
