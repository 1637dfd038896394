import assert from "node:assert/strict";
import * as z from "zod/mini";
import { SubcommandRunner } from "../../../src/features/agents/subcommand-runner.js";

/** A command that runs a script with this very Node; its arguments are process.argv from 1. */
function script(text: string): SubcommandRunner {
  return new SubcommandRunner(() => ({ command: process.execPath, args: ["-e", text, "--"], env: { ADDED: "1" } }));
}

describe("subcommands of the command", () => {
  it("answer with JSON, checked", async () => {
    const commandLine = script("console.log(JSON.stringify([process.argv[1], process.env.ADDED]))");
    assert.deepEqual(await commandLine.json(["list"], z.array(z.string())), ["list", "1"]);
  });

  it("fail with the command's own words", async () => {
    const commandLine = script("console.error('symposium-acp-agent: no such agent'); process.exit(2)");
    await assert.rejects(commandLine.run(["x"]), { message: "no such agent" });
  });

  it("say so when the answer is another one than expected", async () => {
    await assert.rejects(script("console.log('hello')").json(["registry", "list"], z.array(z.string())), {
      message: "`symposium-acp-agent registry list` returned an unexpected answer.",
    });
  });

  it("hand on each line of progress", async () => {
    const lines: string[] = [];
    await script("process.stderr.write('one\\ntwo\\nthr'); process.stderr.write('ee\\n')").run([], {
      onLine: (line) => lines.push(line),
    });
    assert.deepEqual(lines, ["one", "two", "three"]);
  });

  it("end when they are aborted", async () => {
    const abort = new AbortController();
    const running = script("console.error('started'); setInterval(() => {}, 1000)").run([], {
      signal: abort.signal,
      onLine: () => abort.abort(new Error("enough")),
    });
    await assert.rejects(running, { message: "enough" });
  });

  it("say which program is missing", async () => {
    const missing = new SubcommandRunner(() => ({ command: "/nowhere/symposium", args: [], env: {} }));
    await assert.rejects(missing.run([]), /Couldn't start "\/nowhere\/symposium": /);
  });
});
