import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Serves on the loopback what `answer` returns for `{ method, path, query, headers, bytes, json }`: `[status, body]`, where
 * a body that is no Buffer is sent as JSON. Returns `{ address, close }`.
 */
export async function serve(answer) {
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://stand-in");
    const { method = "", headers } = request;
    const asked = { method, path: decodeURIComponent(pathname), query, headers, bytes, json: () => JSON.parse(bytes) };
    const [status, body] = (await answer(asked)) ?? [404, { error: `${method} ${pathname} is not known here` }];
    const isBinary = Buffer.isBuffer(body);
    response.writeHead(status, { "content-type": isBinary ? "application/octet-stream" : "application/json" });
    response.end(isBinary ? body : JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: `http://127.0.0.1:${server.address().port}`, close };
}
