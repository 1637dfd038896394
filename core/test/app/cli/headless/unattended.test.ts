import assert from "node:assert/strict";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { levelOf, limitsOf, promptOf, unattendedOf } from "../../../../src/app/cli/headless/unattended.js";

describe("the options of a run without a user", () => {
  const bad = (values: Parameters<typeof unattendedOf>[0]): RegExp =>
    new RegExp(Object.values(values).join("").replaceAll(".", "\\."));

  it("are parsed into an output, limits and a time", () => {
    const run = unattendedOf({
      output: "jsonl",
      permissions: "rules",
      budget: "dollars=0.5, toolCalls=3",
      timeout: 2_000,
      "max-turns": 4,
    });
    const scope = { scope: "session", place: "--budget" };
    assert.ok(run);
    assert.deepEqual([run.output, run.permissions, run.timeoutMs, run.maxTurns], ["jsonl", "rules", 2_000, 4]);
    assert.deepEqual(limitsOf(run), {
      allows: "rules",
      budgets: [
        { ...scope, figure: "dollars", limit: 0.5 },
        { ...scope, figure: "toolCalls", limit: 3 },
      ],
    });
  });

  it("leave a chat for a user alone", () => {
    assert.deepEqual([unattendedOf({}), unattendedOf({ output: "text", "prompt-file": "x" })], [undefined, undefined]);
  });

  for (const values of [
    { budget: "turns=3" },
    { budget: "dollars=0" },
    { budget: "dollars=1,dollars=2" },
    { budget: "" },
  ]) {
    it(`refuse ${JSON.stringify(values)}`, () => {
      assert.throws(() => unattendedOf(values), { code: "invalid-arguments", message: bad(values) });
    });
  }

  it("append a file to the words of the prompt, and refuse an empty or missing file", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "prompt-file-")));
    const file = join(folder, "prompt.md");
    await writeFile(file, "the text\n");
    assert.equal(await promptOf(["Read", "this"], file, false), "Read this\n\nthe text\n");
    assert.equal(await promptOf(["Read", "this"], undefined, true), "Read this");
    await writeFile(file, " \n");
    await assert.rejects(promptOf([], file, true), { code: "invalid-arguments", message: /The prompt is empty/ });
    await rm(folder, { recursive: true });
    await assert.rejects(promptOf([], file, true), { code: "invalid-arguments", message: /prompt\.md.*ENOENT/ });
  });

  it("never lower the level that the user has set", async () => {
    const agent = { kind: "name", name: "played" } as const;
    const levels = await Promise.all([
      levelOf("deny", agent, "off"),
      levelOf("rules", agent, "sandbox"),
      levelOf("sandbox", agent, "off"),
    ]);
    assert.deepEqual(levels, ["rules", "sandbox", "sandbox"]);
  });
});
