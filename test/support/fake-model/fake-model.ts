import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { parseObject, type JsonObject } from "../json.js";
import { anthropicMessages } from "./anthropic-messages.js";
import { EventStream } from "./event-stream.js";
import { geminiGenerateContent } from "./gemini-generate-content.js";
import type { ModelReply, ModelRequest } from "./model-request.js";
import { openaiChat } from "./openai-chat.js";
import { openaiResponses } from "./openai-responses.js";
import { replyTo, streamedWord, type ScriptStep } from "./script.js";
import type { AnswerWriter, WireFormat } from "./wire-format.js";

const formats: readonly WireFormat[] = [openaiChat, openaiResponses, anthropicMessages, geminiGenerateContent];
const talkIntervalMs = 5;

/** A request that reached the model, with what the model did with it. */
export interface RecordedRequest extends ModelRequest {
  readonly path: string;
  readonly format: string;
  readonly body: JsonObject;
  readonly reply: ModelReply;
  /** Resolves when the answer has ended: `aborted` when the agent hung up before that. */
  readonly ended: Promise<"complete" | "aborted">;
}

interface FakeModelOptions {
  /** The script to follow, or which one it is for the conversation of a request. */
  readonly script: readonly ScriptStep[] | ((request: ModelRequest) => readonly ScriptStep[]);
}

/** A model on loopback that speaks every provider's interface and follows a script. */
export interface FakeModel extends AsyncDisposable {
  /** Without a trailing slash and without a version folder, for example `http://127.0.0.1:4011`. */
  readonly url: string;
  /** Generation requests in order of arrival, since the last script began. */
  readonly requests: readonly RecordedRequest[];
  /** Paths that were asked for and that no wire format knows. */
  readonly unknownPaths: readonly string[];
  /**
   * Begins another script for conversations with these `words` of the user, and forgets the requests so far. Agents go on with
   * requests of earlier conversations in the background: these get a short answer and are not recorded.
   */
  begin(script: readonly ScriptStep[], words: string): void;
  close(): Promise<void>;
}

/** Starts a fake model on a free loopback port. */
export async function startFakeModel(options: FakeModelOptions): Promise<FakeModel> {
  let { script } = options;
  let words = "";
  let serial = 0;
  const requests: RecordedRequest[] = [];
  const unknownPaths: string[] = [];
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
    const body = parseObject(await text(incoming));
    const format = formats.find((candidate) => candidate.accepts(path));
    if (!format) {
      if (!answerSmallTalk(path, response)) unknownPaths.push(path);
      return;
    }
    const request = format.read(path, body);
    const isCurrent = request.userText.includes(words);
    const reply = replyTo(request, typeof script === "function" ? script(request) : isCurrent ? script : []);
    const ended = endOf(response);
    if (isCurrent) requests.push({ ...request, path, format: format.name, body, reply, ended });
    writeReply(format, request, body, reply, response, ++serial);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((failure: unknown) =>
      response.destroy(failure instanceof Error ? failure : undefined),
    );
  });
  // Services of models keep connections for minutes; Node's 5 s end one in the moment in which an agent uses it again.
  server.keepAliveTimeout = 10 * 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The fake model got no port.");
  const close = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  const url = `http://127.0.0.1:${address.port}`;
  const begin = (next: readonly ScriptStep[], said: string): void => {
    script = next;
    words = said;
    requests.length = 0;
  };
  return { url, requests, unknownPaths, begin, close, [Symbol.asyncDispose]: close };
}

function writeReply(
  format: WireFormat,
  request: ModelRequest,
  body: JsonObject,
  reply: ModelReply,
  response: ServerResponse,
  serial: number,
): void {
  if (!request.isStreaming && reply.kind !== "talk-until-cancelled") {
    sendJson(response, 200, format.whole(body, reply, serial));
    return;
  }
  const events = new EventStream(response);
  const writer = format.stream(events, body, serial);
  if (reply.kind === "talk-until-cancelled") {
    talk(writer, response);
    return;
  }
  if (reply.kind === "call") for (const call of reply.calls) writer.call(call);
  else for (const chunk of reply.chunks) writer.text(chunk);
  writer.finish();
  events.end();
}

function talk(writer: AnswerWriter, response: ServerResponse): void {
  let count = 0;
  const timer = setInterval(() => writer.text(`${streamedWord}${count++} `), talkIntervalMs);
  response.once("close", () => clearInterval(timer));
}

async function endOf(response: ServerResponse): Promise<"complete" | "aborted"> {
  await once(response, "close");
  return response.writableFinished ? "complete" : "aborted";
}

/** The requests that agents make beside generation: lists of models and token counts. */
function answerSmallTalk(path: string, response: ServerResponse): boolean {
  if (/[/:]count_?tokens$/i.test(path)) sendJson(response, 200, { input_tokens: 10, totalTokens: 10 });
  else if (/\/models(\/[^/]+)?$/.test(path)) {
    sendJson(response, 200, { object: "list", data: [{ id: "m1", object: "model", created: 1, owned_by: "fake" }] });
  } else {
    sendJson(response, 404, { error: { type: "not_found", message: `The fake model has no ${path}.` } });
    return false;
  }
  return true;
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
