import type { IncomingMessage } from "node:http";
import { invalidRequest, OpenAiFailure } from "../../openai/openai-failure.js";

/** The JSON body of a request. Rejects with an `OpenAiFailure` when it is longer than `limitBytes`, or no JSON. */
export async function readJson(request: IncomingMessage, limitBytes: number): Promise<unknown> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw invalidRequest("body", "it is no JSON.");
  }
}

function tooLarge(limitBytes: number): OpenAiFailure {
  return new OpenAiFailure(413, "request_too_large", `A request may have ${limitBytes} bytes.`);
}
