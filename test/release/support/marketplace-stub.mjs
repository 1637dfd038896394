import { once } from "node:events";
import { createServer } from "node:http";

/** The resources of the Marketplace's API that publishing uses, as its clients ask for them before anything else. */
const locations = [
  { id: "a41192c8-9525-4b58-bc86-179fa549d80d", routeTemplate: "_apis/gallery/extensions" },
  { id: "e11ea35a-16fe-4b80-ab11-c4cab88a0966", routeTemplate: "_apis/gallery/extensions/{publisher}/{extension}" },
].map((location) => ({
  ...location,
  area: "gallery",
  resourceName: "extensions",
  resourceVersion: 2,
  minVersion: "1.0",
  maxVersion: "7.2",
  releasedVersion: "7.1",
}));

/**
 * A VS Code Marketplace on the loopback that has the `versions` of one extension, by version and target platform, and takes
 * others: `uploads` tells what it was sent, as method and number of bytes. Each of `faults`, HTTP statuses, is the answer to
 * one upload.
 */
export async function startMarketplace({ versions = [], faults = [] } = {}) {
  const uploads = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const answer = (status, body) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "OPTIONS") return answer(200, { count: locations.length, value: locations });
    if (request.method === "GET") return versions.length === 0 ? answer(404, {}) : answer(200, { versions });
    uploads.push({ method: request.method, bytes: Buffer.concat(chunks).length });
    const status = faults.shift() ?? 200;
    return answer(status, status === 200 ? { versions } : { message: `the stub answers ${status}` });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { address: `http://127.0.0.1:${server.address().port}`, uploads, close: () => server.close() };
}
