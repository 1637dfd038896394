import assert from "node:assert/strict";
import { join } from "node:path";
import { runToEnd } from "../support/child.js";
import { startOpenAiEndpoint } from "../support/openai-endpoint.js";
import { pythonWith } from "../support/packages/python-package.js";
import { repositoryRoot } from "../support/repository.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

describe("OpenAI's client for Python", function () {
  this.timeout(scaledMs(10 * 60_000));
  const scope = useTestScope();

  it("streams a tool call of an agent and brings its result, in both interfaces, and is refused without the token", async function () {
    const found = await pythonWith("openai", "3.54.0");
    if ("missing" in found) skipBecause(this, found.missing);
    const folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    const { address, token } = scope().use(await startOpenAiEndpoint(folder, ["eliza"]));
    const talk = join(repositoryRoot, "test", "fixtures", "openai", "talk.py");
    const env = { ...commandEnvironment(folder), ENDPOINT_TOKEN: token };
    const words = [found.python, talk, address, "eliza"];
    const { code, stdout, stderr } = await runToEnd({ words, env, cwd: folder.workspace }, 120_000);
    assert.equal(code, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), {
      models: ["eliza"],
      asked: ["tool_calls", "shout"],
      answered: ["stop", "client_tools::shout answered:\n\nQUIET"],
      responded: ["completed", "shout", "client_tools::shout answered:\n\nQUIET"],
      refused: "invalid_api_key",
    });
  });
});
