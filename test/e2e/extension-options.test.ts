import assert from "node:assert/strict";
import { join } from "node:path";
import { runToEnd } from "../support/child.js";
import { arrayOf, objectOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import { agentText, proxyText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder, StartedCommand } from "../support/started-command.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

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
