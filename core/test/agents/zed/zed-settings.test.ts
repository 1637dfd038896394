import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import { readSettings, restored, takeBack, writeSettings } from "../../../src/agents/zed/node/settings-file.js";
import { InstallationsFixture } from "../../app/cli/installations-fixture.js";

describe("Zed's settings, when Zed writes them at the same time", () => {
  const user = new InstallationsFixture();
  const isChanged = (failure: unknown): boolean =>
    failure instanceof SymposiumError && /^Another program changed .* in the meantime\.$/.test(failure.message);

  it("stay as Zed has left them: nothing is installed over what was not read", async () => {
    const file = join(user.folder, "settings.json");
    writeFileSync(file, "{}");
    const before = await readSettings(file);
    writeFileSync(file, `{ "theme": "One Dark" }`);
    await assert.rejects(writeSettings(file, before, `{ "agent_servers": {} }`), isChanged);
    assert.equal(readFileSync(file, "utf8"), `{ "theme": "One Dark" }`);
    // The backup that was begun belongs to no file.
    assert.equal((await restored(file, `{ "theme": "One Dark" }`, "without")).isExact, false);
  });

  it("stay as Zed has left them: nothing is taken back either", async () => {
    const file = join(user.folder, "settings.json");
    writeFileSync(file, "{}");
    await writeSettings(file, "{}", `{ "a": 1 }`);
    const left = await restored(file, `{ "a": 1 }`, "{}");
    writeFileSync(file, `{ "a": 1, "theme": "One Dark" }`);
    await assert.rejects(takeBack(file, `{ "a": 1 }`, left), isChanged);
    assert.equal(readFileSync(file, "utf8"), `{ "a": 1, "theme": "One Dark" }`);
  });
});
