import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importSession } from "../../../../src/sessions/conversations/node/import-session.js";
import { listSessions } from "../../../../src/sessions/conversations/node/session-index.js";

describe("importSession", () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "import-session-"));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function exported(at: number): Promise<{ readonly folder: string; readonly file: string }> {
    const file = join(root, "exported.jsonl");
    const lines = [
      { version: 1, session: "one", cwd: "/project", agent: "a", started: 1_700_000_000_000 },
      { at, turn: 1, prompt: [{ type: "text", text: "Hello" }] },
    ];
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    return { folder: join(root, "sessions"), file };
  }

  it("takes no time for its own that is still to come: such a conversation would stay for good", async () => {
    for (const at of [Date.now() + 1e12, 1e300]) {
      const { folder, file } = await exported(at);
      const id = await importSession({ folder, file, mask: (text) => text, days: 90 });
      const found = (await listSessions(folder)).find((one) => one.id === id);
      assert.ok(found && found.updated <= Date.now());
      await rm(folder, { recursive: true });
    }
  });

  it("leaves nothing of a conversation that it could not keep", async () => {
    const { folder, file } = await exported(1_700_000_000_001);
    const mask = (): string => {
      throw new Error("no");
    };
    await assert.rejects(importSession({ folder, file, mask, days: 90 }), /no/);
    assert.deepEqual(await readdir(folder), []);
  });
});
