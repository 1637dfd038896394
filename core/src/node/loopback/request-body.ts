import type { IncomingMessage } from "node:http";

/**
 * The body of a request as text, or undefined when it is longer than `limitBytes`: what is left of it is not read then, so
 * the answer must close the connection. Rejects when the client leaves before the end.
 */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  if (Number(request.headers["content-length"] ?? 0) > limitBytes) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
