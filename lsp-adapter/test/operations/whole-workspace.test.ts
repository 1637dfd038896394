import assert from "node:assert/strict";
import type { OperationState } from "@symposium-dev/core";
import { fakeServer } from "../support/fake-server.js";
import { Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

const missing = { command: "no-such-server", languages: { missing: [".missing"] } };
const degraded: OperationState = {
  kind: "degraded",
  reason: "No language server: no-such-server is not on PATH. Check languageServers.missing.command in config.jsonc.",
};

describe("a question about the whole workspace", () => {
  const scope = useTestScope();

  async function open(files: Readonly<Record<string, string>>): Promise<Stage> {
    const { languageServers } = fakeServer("none");
    return scope().use(await Stage.open({ files, settings: { languageServers: { ...languageServers, missing } } }));
  }

  it("is answered with what one server knows when another one is missing, and says so", async () => {
    const stage = await open({ "a.fake": "twelve chars\n", "b.missing": "" });
    const { state, items } = await stage.run("workspaceSymbols", { query: "fake" });
    const names = items.map(({ name, uri }) => [name, uri]);
    assert.deepEqual({ state, names }, { state: degraded, names: [["fake", stage.uri("a.fake")]] });
  });

  it("can be about the languages of some documents alone", async () => {
    const stage = await open({ "a.fake": "twelve chars\n", "b.missing": "" });
    const documents = [stage.uri("a.fake")];
    const { state, items } = await stage.run("workspaceSymbols", { query: "fake", documents });
    const none = await stage.run("workspaceSymbols", { query: "fake", documents: [stage.uri("b.missing")] });
    const checked = await stage.run("diagnostics", { documents: [stage.uri("b.missing")] });
    assert.deepEqual(
      [state, items.map(({ name }) => name), none.state, none.items, checked.state, checked.files, checked.pending],
      [{ kind: "ready" }, ["fake"], degraded, [], degraded, [], []],
    );
  });

  it("names the server that cannot look for symbols where the others have found none", async () => {
    const old = { ...fakeServer("old").languageServers.fake, languages: { old: [".old"] } };
    const languageServers = { ...fakeServer("none").languageServers, old };
    const files = { "a.fake": "twelve chars\n", "b.old": "" };
    const stage = scope().use(await Stage.open({ files, settings: { languageServers } }));
    const found = await stage.run("workspaceSymbols", { query: "fake" });
    const none = await stage.run("workspaceSymbols", { query: "another" });
    const lacking = "old 14.0.6 doesn't support workspace symbols (workspace/symbol).";
    assert.deepEqual(
      [found.state, found.total, none.state, none.total],
      [{ kind: "ready" }, 1, { kind: "degraded", reason: lacking }, 0],
    );
  });

  it("is not answered by silence when the only server is missing", async () => {
    const stage = await open({ "b.missing": "" });
    const symbols = await stage.run("workspaceSymbols", { query: "fake" });
    const diagnostics = await stage.run("diagnostics", {});
    assert.deepEqual([symbols.state, diagnostics.state, diagnostics.files], [degraded, degraded, []]);
  });

  it("says that nobody serves a folder without code", async () => {
    const stage = await open({ "README.md": "Hello\n" });
    const symbols = await stage.run("workspaceSymbols", { query: "fake" });
    const diagnostics = await stage.run("diagnostics", {});
    const nobody = { kind: "degraded", reason: `No language server supports any file in ${stage.folder.path}.` };
    assert.deepEqual([symbols.state, diagnostics.state], [nobody, nobody]);
  });

  it("starts no server for samples of another language than the workspace is written in", async () => {
    const stage = await open({ "src/a.fake": "", "tests/fixtures/b.missing": "" });
    const { state } = await stage.run("workspaceSymbols", { query: "fake" });
    assert.deepEqual(state, { kind: "ready" });
  });
});
