import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { environmentOfThisMachine } from "../support/environment.js";
import { warmFigures } from "../bench/ide/ide-figures.js";
import { ideProjects } from "../bench/ide/ide-project.js";
import { McpSubject } from "../bench/ide/mcp-subject.js";
import { ServerSubject } from "../bench/ide/server-subject.js";

const [project] = ideProjects;
const dying = [process.execPath, "--eval", "console.error('out of order'); process.exitCode = 3"];
const env = environmentOfThisMachine();
const cwd = tmpdir();

describe("a lane of the bench whose program ends at once", () => {
  it("fails with how it ended and what it said, as a language server", async () => {
    assert.ok(project);
    await assert.rejects(ServerSubject.open({ ...project, server: dying }, cwd, env), /ended with 3 out of order/);
  });

  it("does so as an MCP server", async () => {
    const question = { tool: "", arguments: {}, answer: "" };
    const questions = { definition: question, references: question, symbols: question };
    await assert.rejects(McpSubject.open({ words: dying, env, cwd }, questions), /ended with 3 out of order/);
  });

  it("is left out, and the others are measured", async () => {
    const reply = { text: "right", isRight: true };
    const subject = {
      pid: process.pid,
      toolListBytes: 0,
      ask: () => Promise.resolve(reply),
      endInput: () => undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const lanes = [
      { name: "dying", open: () => Promise.reject(new Error("out of order")) },
      {
        name: "dying later",
        open: () => Promise.resolve({ ...subject, ask: () => Promise.reject(new Error("gone")) }),
      },
      { name: "sound", open: () => Promise.resolve(subject) },
    ];
    const failures: string[] = [];
    const surroundings = { env, marker: "/nowhere", serverPrograms: [] };
    const figures = await warmFigures(
      lanes,
      () => surroundings,
      2,
      ({ name }, failure) => failures.push(`${name}: ${String(failure)}`),
    );
    assert.deepEqual(failures, ["dying: Error: out of order", "dying later: Error: gone"]);
    assert.deepEqual(
      figures.map(({ name }) => name),
      ["sound"],
    );
  });
});
