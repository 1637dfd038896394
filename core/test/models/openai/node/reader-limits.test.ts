import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate as turnOfEventLoop } from "node:timers/promises";
import { type LogEvent, Logger } from "../../../../src/base/logger.js";
import type { AnswerSink } from "../../../../src/models/answer-sink.js";
import type { ReaderLimits } from "../../../../src/base/node/event-stream-writer.js";
import { OpenAiServer } from "../../../../src/models/openai/node/openai-server.js";
import type { AnswerEnd } from "../../../../src/models/openai/chat-completion.js";
import { ErrorResponse } from "../../../../src/models/openai/error-response.js";

const mebibyte = 1024 * 1024;
const piece = "x".repeat(mebibyte / 16);
/** More than any system keeps for a connection. */
const longAnswer = 64 * 16;
const never = 3_600_000;

type Tell = (sink: AnswerSink, signal: AbortSignal) => Promise<AnswerEnd>;

describe("a streamed answer", () => {
  const open: AsyncDisposable[] = [];
  const sockets: Socket[] = [];
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of open.splice(0)) await server[Symbol.asyncDispose]();
  });

  /** A server whose only model tells its answers so; `logged` is the first event of its log. */
  async function serve(
    tell: Tell,
    reader: ReaderLimits,
  ): Promise<{ readonly port: number; readonly logged: Promise<LogEvent> }> {
    const { promise: logged, resolve } = withResolvers<LogEvent>();
    const service = {
      models: [],
      answer: (_request: unknown, sink: AnswerSink, signal: AbortSignal) => tell(sink, signal),
    };
    const server = new OpenAiServer({ service, token: "token", logger: new Logger(resolve), reader });
    open.push(server);
    return { port: await server.listen(0), logged };
  }

  /** Asks for a stream, and reads nothing of it. */
  async function ask(port: number): Promise<void> {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    await once(socket, "connect");
    socket.pause();
    const body = JSON.stringify({ model: "a", stream: true, messages: [{ role: "user", content: "Go on." }] });
    const head = ["POST /v1/chat/completions HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer token"];
    socket.write([...head, `Content-Length: ${body.length}`, "", body].join("\r\n"));
  }

  it("ends, and its turn with it, when the client leaves more unread than is allowed", async () => {
    const { promise: told, resolve } = withResolvers<number>();
    const tell: Tell = async (sink, signal) => {
      let pieces = 0;
      while (pieces < longAnswer && !signal.aborted) {
        // As many come in one read of the agent's output, before anybody can stop it.
        for (let more = 0; more < 4; more++) sink.content(piece);
        pieces += 4;
        await turnOfEventLoop();
      }
      resolve(pieces);
      return { finishReason: "stop" };
    };
    const { port, logged } = await serve(tell, { mostUnreadBytes: mebibyte, stallMs: never, quietMs: never });
    await ask(port);
    assert.ok((await told) < longAnswer);
    const { event, fields } = await logged;
    assert.equal(event, "a client stopped reading its answer; the answer was dropped");
    assert.ok(Number(fields["unreadBytes"]) < 2 * mebibyte);
  });

  it("ends, and its turn with it, when the client reads nothing for too long", async () => {
    const { promise: aborted, resolve } = withResolvers<boolean>();
    const tell: Tell = async (sink, signal) => {
      for (let pieces = 0; pieces < longAnswer; pieces++) sink.content(piece);
      await once(signal, "abort");
      resolve(signal.aborted);
      return { finishReason: "stop" };
    };
    const { port } = await serve(tell, { mostUnreadBytes: 1024 * mebibyte, stallMs: 20, quietMs: never });
    await ask(port);
    assert.equal(await aborted, true);
  });

  it("is not kept for a client that does not read its end", async () => {
    const tell: Tell = (sink) => {
      for (let pieces = 0; pieces < longAnswer; pieces++) sink.content(piece);
      return Promise.resolve({ finishReason: "stop" });
    };
    const { port, logged } = await serve(tell, { mostUnreadBytes: 1024 * mebibyte, stallMs: 20, quietMs: never });
    await ask(port);
    assert.equal((await logged).event, "a client stopped reading its answer; the answer was dropped");
  });

  it("is kept up by comments while the agent says nothing, and begins with its first word", async () => {
    const { promise: mayAnswer, resolve: answerNow } = withResolvers<boolean>();
    const tell: Tell = async (sink) => {
      await mayAnswer;
      sink.content("Done.");
      return { finishReason: "stop" };
    };
    const { port } = await serve(tell, { mostUnreadBytes: mebibyte, stallMs: never, quietMs: 5 });
    const response = await fetched(port);
    let heard = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      heard += chunk;
      if (heard.split(": at work\n\n").length > 2) answerNow(true);
    }
    const [first, ...others] = heard.split("\n\n").filter((event) => event !== "" && event !== ": at work");
    assert.match(first ?? "", /"delta":\{"role":"assistant","content":"Done\."\}/);
    assert.match(others.join(""), /^data: \{[^]*"finish_reason":"stop"\}\]\}data: \[DONE\]$/);
  });

  it("says as its last event that the agent failed, once the head is out", async () => {
    const failure = new ErrorResponse(502, "agent_failed", "It fell.");
    const tell: Tell = (sink) => {
      sink.content("So");
      return Promise.reject(failure);
    };
    const { port } = await serve(tell, { mostUnreadBytes: mebibyte, stallMs: never, quietMs: never });
    const response = await fetched(port);
    const events = (await response.text()).split("\n\n").filter(Boolean);
    assert.deepEqual([response.status, events.length], [200, 2]);
    assert.deepEqual(JSON.parse((events[1] ?? "").replace("data: ", "")), failure.body);
  });

  it("may be much longer than what a client may leave unread", async () => {
    const tell: Tell = async (sink) => {
      for (let pieces = 0; pieces < longAnswer; pieces++) {
        sink.content(piece);
        await turnOfEventLoop();
      }
      return { finishReason: "stop" };
    };
    const { port } = await serve(tell, { mostUnreadBytes: 8 * mebibyte, stallMs: never, quietMs: never });
    const response = await fetched(port);
    const text = await response.text();
    assert.ok(text.length > longAnswer * piece.length);
    assert.ok(text.endsWith("data: [DONE]\n\n"));
  });
});

/** Asks for a stream, by a client that reads it. */
function fetched(port: number): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer token" },
    body: JSON.stringify({ model: "a", stream: true, messages: [{ role: "user", content: "Go on." }] }),
  });
}

function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, resolve: settle };
}
