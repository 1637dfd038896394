import assert from "node:assert/strict";
import { once } from "node:events";
import { Child, runToEnd } from "./child.js";
import { pathWith } from "./repository.js";
import { createRunFolder } from "./run-folder.js";
import { survivingProcesses } from "./surviving-processes.js";
import { useTestScope } from "./test-scope.js";
import { scaledMs } from "./until.js";

const idle = "setInterval(() => {}, 1000);";
const stubborn = `process.on("SIGTERM", () => {}); ${idle} console.log("ready");`;

describe("child processes of tests", function () {
  this.timeout(scaledMs(60_000));
  const scope = useTestScope();

  it("are gone after disposing, although they ignore the end of input and SIGTERM", async () => {
    const folder = scope().use(await createRunFolder("child"));
    const env = { ...folder.env, PATH: pathWith() };
    const child = scope().use(new Child({ words: ["node", "-e", stubborn], env, cwd: folder.workspace }));
    await once(child.process.stdout, "data");
    assert.equal((await survivingProcesses(folder.root, 0)).size, 1);
    await child[Symbol.asyncDispose]();
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
  });

  it("take the processes that they started with them", async () => {
    const folder = scope().use(await createRunFolder("child"));
    const env = { ...folder.env, PATH: pathWith() };
    const parent = `require("node:child_process").spawn("node", ["-e", ${JSON.stringify(stubborn)}], { stdio: ["ignore", 1, 2] });`;
    const child = scope().use(new Child({ words: ["node", "-e", parent + idle], env, cwd: folder.workspace }));
    await once(child.process.stdout, "data");
    assert.equal((await survivingProcesses(folder.root, 0)).size, 2);
    await child[Symbol.asyncDispose]();
    assert.deepEqual(await survivingProcesses(folder.root), new Map());
  });

  it("report why they did not start", async () => {
    const folder = scope().use(await createRunFolder("child"));
    const { code, stderr } = await runToEnd(
      { words: ["no-such-program"], env: folder.env, cwd: folder.workspace },
      60_000,
    );
    assert.deepEqual({ code, stderr }, { code: null, stderr: "spawn no-such-program ENOENT" });
  });
});
