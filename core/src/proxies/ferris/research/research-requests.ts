import { acpMethods } from "../../../acp/methods.js";
import type { RequestHandler } from "../../../conductor/proxy.js";
import { messageOf } from "../../../base/symposium-error.js";
import { Outcome } from "../../../rpc/message.js";
import { nothingToCancel, type Peer } from "../../../rpc/peer.js";
import { RpcError } from "../../../rpc/rpc-error.js";
import { isReadable, permissionResult } from "./read-permission.js";
import type { ResearchSession } from "./research-session.js";

type JsonObject = Readonly<Record<string, unknown>>;
type Answer = (session: ResearchSession, params: JsonObject) => Promise<unknown>;

const readTextFile = "fs/read_text_file";

/** Methods that change something, or show something to the user: never for research. */
const refusedMethods = [
  "fs/write_text_file",
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
] as const;

/**
 * Handlers for what agents ask the editor: questions of research sessions are answered here and never reach the user;
 * all others go on to `client`.
 */
export function researchRequests(
  client: Peer,
  sessionOf: (sessionId: unknown) => ResearchSession | undefined,
): Readonly<Record<string, RequestHandler>> {
  const answers: [string, Answer][] = [
    [acpMethods.requestPermission, permissionResult],
    [readTextFile, readFile],
    ["elicitation/create", () => Promise.resolve({ action: "decline" })],
    ...refusedMethods.map((method): [string, Answer] => [method, () => Promise.resolve(refusal(method))]),
  ];
  return Object.fromEntries(answers.map(([method, answer]) => [method, handler(client, sessionOf, answer)]));
}

function handler(
  client: Peer,
  sessionOf: (sessionId: unknown) => ResearchSession | undefined,
  answer: Answer,
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

/** `line` counts from 1 (ACP `ReadTextFileRequest`). */
async function readFile(session: ResearchSession, params: JsonObject): Promise<unknown> {
  const { path, line, limit } = params;
  if (typeof path !== "string" || session.isOver || !(await isReadable(session, path))) return refusal(readTextFile);
  const text = await textOf(session, path);
  if (text === undefined) return Outcome.error(RpcError.invalidParams(`There is no text file ${path}`));
  const from = typeof line === "number" ? Math.max(line - 1, 0) : 0;
  const to = typeof limit === "number" ? from + limit : undefined;
  return { content: from === 0 && to === undefined ? text : text.split("\n").slice(from, to).join("\n") };
}

async function textOf(session: ResearchSession, path: string): Promise<string | undefined> {
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
