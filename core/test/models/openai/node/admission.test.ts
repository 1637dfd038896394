import assert from "node:assert/strict";
import { request } from "node:http";
import { Logger } from "../../../../src/base/logger.js";
import { OpenAiServer } from "../../../../src/models/openai/node/openai-server.js";

describe("the OpenAI endpoint's door", () => {
  const service = { models: [{ id: "a", name: "A", open: () => Promise.reject(new Error("not to be opened")) }] };
  const answer = (): Promise<never> => Promise.reject(new Error("not to be asked"));
  const logger = new Logger(() => undefined);

  /** The status of `GET /v1/models` with these headers, and a good token where they have none. */
  function statusWith(port: number, headers: Readonly<Record<string, string>>): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      const options = { port, path: "/v1/models", headers: { authorization: "Bearer token", ...headers } };
      const sent = request(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end();
    });
  }

  it("is open for this machine's own names alone, and for no page of another origin", async () => {
    await using server = new OpenAiServer({ service: { ...service, answer }, token: "token", logger });
    const port = await server.listen(0);
    const statuses: Record<string, number | undefined> = {};
    for (const headers of [
      { host: `127.0.0.1:${port}` },
      { host: `localhost:${port}` },
      { host: `rebound.example:${port}` },
      { host: `127.0.0.1.rebound.example:${port}` },
      { host: `127.0.0.1:${port}`, origin: "https://a.example" },
      { host: `127.0.0.1:${port}`, origin: "null" },
      { host: `127.0.0.1:${port}`, origin: `http://127.0.0.1:${port}` },
      { host: `127.0.0.1:${port}`, authorization: "Bearer toke" },
      { host: `127.0.0.1:${port}`, authorization: "Basic token" },
    ]) {
      statuses[Object.values(headers).join(" ").replaceAll(String(port), "PORT")] = await statusWith(port, headers);
    }
    assert.deepEqual(statuses, {
      "127.0.0.1:PORT": 200,
      "localhost:PORT": 200,
      "rebound.example:PORT": 403,
      "127.0.0.1.rebound.example:PORT": 403,
      "127.0.0.1:PORT https://a.example": 403,
      "127.0.0.1:PORT null": 403,
      "127.0.0.1:PORT http://127.0.0.1:PORT": 200,
      "127.0.0.1:PORT Bearer toke": 401,
      "127.0.0.1:PORT Basic token": 401,
    });
  });
});
