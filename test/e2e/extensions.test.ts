import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder } from "../support/run-folder.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";
import { join } from "node:path";
import { arrayOf, objectOf } from "../support/json.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import {
  commandEnvironment,
  createCommandFolder,
  StartedCommand,
  type StartOptions,
} from "../support/started-command.js";

describe("the command behind a proxy", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("reaches an MCP server through it", async () => {
    const asked: string[] = [];
    const target = createServer((request, response) => {
      asked.push(`${request.method ?? ""} ${request.headers.host ?? ""}`);
      response.writeHead(503).end();
    });
    const proxy = createServer();
    proxy.on("connect", (_request, client) => {
      const upstream = connect((target.address() as AddressInfo).port, "127.0.0.1", () => {
        client.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(client).pipe(upstream);
      });
      upstream.on("error", () => client.destroy());
      client.on("error", () => upstream.destroy());
    });
    for (const server of [target, proxy]) {
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      scope().defer(() => {
        server.closeAllConnections();
        server.close();
      });
    }
    const { env, workspace } = scope().use(await createRunFolder("behind-proxy"));
    const proxied = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, PATH: pathWith() };
    const run = (...words: readonly string[]) =>
      runToEnd({ words: [...conductorWords, ...words], env: { ...env, ...proxied }, cwd: workspace }, 120_000);
    await run("mcp", "add", "far", "--url", "http://target.example/mcp");
    await run("mcp", "test", "far");
    assert.ok(asked.includes("POST target.example"), asked.join());
  });
});

const example = join(repositoryRoot, "examples", "typescript-proxy");

describe("the options of an extension in the configuration", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("reach its program, and no other component", async () => {
    const folder = scope().use(await createCommandFolder());
    const words = ["tsc", "-p", example, "--outDir", folder.workspace];
    const built = await runToEnd({ words, env: commandEnvironment(folder), cwd: folder.workspace }, 120_000);
    assert.equal(built.code, 0, built.stdout);
    const program = { command: "node", args: [join(folder.workspace, "main.js")] };
    const other = { command: "sh", args: ["-c", `exec ${proxyText("legacy")}`] };
    const proxies = [
      { name: "first", distribution: { executable: program }, options: { advice: "Be kind." } },
      { name: "second", distribution: { executable: other } },
    ];
    const config = JSON.stringify({ agent: agentText(), proxies });
    const started = await StartedCommand.start(scope(), ["run"], { config });
    const { client } = started;
    await client.prompt(await client.newSession(), "echo hello");
    const { value } = await client.request("_test/received", {});
    const received = arrayOf(objectOf(value)["received"]).map(objectOf);
    const paramsOf = (method: string): unknown => received.find((call) => call["method"] === method)?.["params"];
    const texts = arrayOf(objectOf(paramsOf("session/prompt"))["prompt"]).map((block) => objectOf(block)["text"]);
    assert.deepEqual([texts, objectOf(paramsOf("initialize"))["_meta"]], [["echo hello", "Be kind."], undefined]);
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });
});

const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

describe("an MCP server of the user's", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  /** The tools that Eliza lists and calls in a session that starts like this. */
  async function callClock(words: readonly string[], options: StartOptions, _meta = {}): Promise<void> {
    const started = await StartedCommand.start(scope(), words, options);
    const { client } = started;
    await client.initialize({ _meta });
    const opened = await client.request("session/new", { cwd: started.folder.workspace, mcpServers: [] });
    const sessionId = String(objectOf(opened.value)["sessionId"]);
    await client.prompt(sessionId, "list tools from clock");
    assert.match(client.peer.text, /Tools of clock:[^]*now/);
    await client.prompt(sessionId, "use tool clock::now with {}");
    assert.match(client.peer.text + JSON.stringify(client.peer.updates), /noon/);
    client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  }

  const runWith = ["run-with", "--agent", "eliza"];
  const mcpServers = { clock: { command: "node", args: [clock] } };

  it("is in each session when config.jsonc names it", () =>
    callClock(runWith, { config: JSON.stringify({ mcpServers }) }));

  it("is in each session when the editor passes it with initialize", () =>
    callClock(runWith, {}, { symposium: { mcpServers } }));

  it("is in each session when it is given as a proxy", () =>
    callClock([...runWith, "--proxy", `{"name":"clock","command":"node","args":["${clock}"]}`], {}));

  it("is in each session when it is an extension of config.jsonc", () => {
    const proxies = [{ name: "clock", distribution: { local: { command: "node", args: [clock] } } }];
    return callClock(["run"], { config: JSON.stringify({ agent: "eliza", proxies }) });
  });
});
