import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { conductorProgram, shellWords } from "../support/conductor-command.js";
import { createRunFolder } from "../support/run-folder.js";
import { commandEnvironment } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { ZedClient } from "../support/zed-client.js";
import { scaledMs } from "../support/until.js";

const agent = fileURLToPath(new URL("../support/programs/terminal-agent.js", import.meta.url));
const runTests = JSON.stringify(["node", "--test", "--test-reporter=spec"]);

const passing = Array.from({ length: 30 }, (_, index) => `it("takes ${index}", () => {});`).join("\n");
const tests = `import { it } from "node:test";\nimport assert from "node:assert/strict";\n${passing}
it("has room", () => { console.log("room: asked for 3"); assert.equal(2, 3, "no room for the third"); });\n`;

describe("an agent that has the editor run its tests", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  /** Returns the command output that the agent receives. */
  async function outputOf(
    prompt: string,
    files: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<string> {
    const folder = scope().use(await createRunFolder("terminal"));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(folder.workspace, "test"), { recursive: true });
      await writeFile(join(folder.workspace, path), text);
    }
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 30_000), new Map()));
    const args = [
      conductorProgram,
      "run-with",
      "--proxy",
      "defaults",
      ...words,
      "--agent",
      shellWords(["node", agent]),
    ];
    const options = { project: folder.workspace, env: commandEnvironment(folder) };
    const zed = scope().use(new ZedClient({ server: { command: "node", args, env: {} }, ...options }));
    await zed.connect();
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, prompt), "end_turn");
    assert.deepEqual(zed.faults, []);
    return thread.text;
  }

  const project = { "package.json": `{ "type": "module" }`, "test/room.test.js": tests };

  it("reads the report of the run", async () => {
    const text = await outputOf(runTests, project);
    assert.match(text, /^node --test: 1 failed, 30 passed \[t1: the tool output has all of it\]\n/);
    for (const signal of ["has room", "no room for the third", "room.test.js:33", "room: asked for 3"])
      assert.ok(text.includes(signal), `${signal}: ${text}`);
    assert.doesNotMatch(text, /takes 7/);
  });

  it("reads the output itself where outputs are to be full, and of what is no run of tests", async () => {
    assert.match(await outputOf(runTests, project, "--command-output", "full"), /takes 7/);
    assert.equal(await outputOf(JSON.stringify(["node", "-p", "'ℹ pass 1'"]), project), "ℹ pass 1\n");
  });

  it("reads the output itself in a folder that has no project, where it could not page through it", async () => {
    assert.match(await outputOf(runTests, { "test/room.test.mjs": tests }), /takes 7/);
  });
});
