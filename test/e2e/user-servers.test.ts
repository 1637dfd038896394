import assert from "node:assert/strict";
import { join } from "node:path";
import { objectOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import { StartedCommand, type StartOptions } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

describe("an MCP server of the user's", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  /** What Eliza lists and calls in a session that starts like this. */
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
