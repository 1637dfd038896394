import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { ToolUseFile } from "../../../../src/context/servers/node/tool-call-counts-file.js";
import { CountedUse } from "../../../../src/context/servers/tool-call-counts.js";

describe("the file with the use of tools", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "tool-use-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const open = () => ToolUseFile.open(join(folder, "tool-use.json"), Logger.silent);

  it("has the calls of all processes", async () => {
    const [one, two] = [await open(), await open()];
    one.note("jira", "create_ticket");
    two.note("jira", "create_ticket");
    two.note("jira", "list_boards");
    await Promise.all([one[Symbol.asyncDispose](), two[Symbol.asyncDispose]()]);
    const three = await open();
    assert.deepEqual(
      {
        counts: [one, two, three].map((use) => use.count("jira", "create_ticket")),
        file: JSON.parse(await readFile(join(folder, "tool-use.json"), "utf8")) as unknown,
      },
      { counts: [1, 1, 2], file: { jira: { create_ticket: 2, list_boards: 1 } } },
    );
  });

  it("counts for nothing where it is not understood", async () => {
    await writeFile(join(folder, "tool-use.json"), '{"jira":{"create_ticket":"many"},"chat":3}');
    assert.equal((await open()).count("jira", "create_ticket"), 0);
  });
});

describe("the use of tools", () => {
  it("forgets what was used long ago", () => {
    const use = new CountedUse();
    use.note("jira", "old");
    for (let call = 0; call < 64; call++) use.note("jira", "new");
    assert.deepEqual(use.toJSON(), { jira: { new: 32 } });
  });
});
