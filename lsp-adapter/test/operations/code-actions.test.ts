import assert from "node:assert/strict";
import { fakeServer } from "../support/fake-server.js";
import { Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

describe("a code action", () => {
  const scope = useTestScope();
  const start = { line: 0, character: 0 };

  it("is good until the document changes, on disk or by what is typed", async function () {
    this.timeout(120_000);
    const settings = fakeServer("none", { readyTimeoutMs: 2_000 });
    const stage = scope().use(await Stage.open({ files: { "a.fake": "one\n" }, settings }));
    const uri = stage.uri("a.fake");
    const offered = async (): Promise<string> => {
      const { items } = await stage.run("codeActions", { uri, range: { start, end: start } });
      return items[0]?.id ?? "";
    };
    const id = await offered();
    const { edit } = await stage.run("resolveCodeAction", { id });
    await stage.run("setDocument", { uri, text: "two\n" });
    await assert.rejects(stage.run("resolveCodeAction", { id }), /code action "action-\d+" no longer exists/);
    const typed = await offered();
    await stage.run("setDocument", { uri, text: null });
    await stage.folder.write("a.fake", "three\n");
    await assert.rejects(stage.run("resolveCodeAction", { id: typed }), /code action "action-\d+" no longer exists/);
    assert.ok(edit);
  });
});
