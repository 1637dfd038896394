import assert from "node:assert/strict";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  fileUri,
  ideOperationMethod,
  type IdeOperationName,
  ideOperationPrefix,
  ideOperationsCapability,
} from "@symposium-dev/core";
import { scriptedClient } from "@symposium-dev/core/testing";
import { connectMcp } from "../conformance/mcp-entry.js";
import { conducted } from "../conformance/target.js";
import { rustFolders, whyNoCargo } from "@symposium-dev/core/testing/node";
import { opencode } from "../support/agents/agent-recipes.js";
import { runToEnd } from "../support/child.js";
import { throughConductor } from "../support/conductor-command.js";
import { environmentOfThisMachine } from "../support/environment.js";
import type { FakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, repeatUntil, say, type ScriptStep } from "../support/fake-model/script.js";
import { arrayOf, type JsonObject, objectOf, parseObject, stringOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import { RawClient } from "../support/raw-client.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { createRunFolder, type RunFolder } from "../support/run-folder.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";
import { type AgentSession, openSession, type Route } from "../support/agents/agent-session.js";
import { scaledMs } from "../support/until.js";

const crate = join(repositoryRoot, "test", "fixtures", "ide-operations", "shapes");
const defaults: Route = {
  name: "behind the built-in proxies",
  words: (agentWords) => throughConductor(agentWords, ["defaults"]),
};
const isReady = /\[ready\]/;
/** The home folder of a run is empty: Rust is this user's. */
const rustEnvironment = rustFolders();
/** The adapter stays for a moment, in case that another session follows. */
const adapterGraceMs = 60_000;

for (const recipe of [opencode]) {
  describe(`IDE operations with ${recipe.name} ${recipe.version}`, function () {
    this.timeout(scaledMs(400_000));
    const binFolder = usePackage(recipe);
    const scope = useTestScope();
    const agent = { ...recipe, env: (modelUrl: string) => ({ ...recipe.env(modelUrl), ...rustEnvironment }) };

    async function sessionInCrate(context: Mocha.Context, ...steps: readonly ScriptStep[]): Promise<AgentSession> {
      await needsRustAnalyzer(context);
      const session = await openSession(
        scope(),
        { recipe: agent, binFolder: binFolder(context), route: defaults },
        { script: () => [...steps, say("All done.")], mode: agent.mcpMode, endGraceMs: adapterGraceMs },
      );
      await cp(crate, session.workspace, { recursive: true });
      const { stopReason } = await session.client.prompt(session.sessionId, "Use the tools.");
      assert.equal(stopReason, "end_turn");
      return session;
    }

    it("find a definition and preview a rename in a crate, for an editor that has none", async function () {
      const { model, workspace } = await sessionInCrate(
        this,
        whenReady(/find_definition$/, { symbol: "src/main.rs:6#total_area" }),
        whenReady(/rename$/, { symbol: "total_area", new_name: "sum_area" }),
      );
      const [definition = "", rename = ""] = results(model).filter((text) => isReady.test(text));
      assert.match(definition, /src\/shape\.rs:16:8 \[[^]*pub fn total_area\(shapes: &\[Circle\]\) -> f64 \{/);
      assert.match(rename, /^Rename total_area to sum_area: 4 changes in 2 files, not applied yet \[ready\]/m);
      assert.match(rename, /^word search: 1 in comments$/m);
      assert.equal(
        await readFile(join(workspace, "src", "main.rs"), "utf8"),
        await readFile(join(crate, "src", "main.rs"), "utf8"),
      );
    });

    it("make the rename that was previewed, and see what became of it", async function () {
      const { model, workspace } = await sessionInCrate(
        this,
        whenReady(/rename$/, { symbol: "Circle::radius", new_name: "r" }),
        callToolWith(/apply_edit$/, { edit: "edit-1" }),
        callToolWith(/ide_operation$/, {
          program: 'symbols("src/shape.rs") | where(name == "r") | references | count',
        }),
      );
      const [made = "", counted = ""] = results(model).slice(-2);
      assert.match(made, /Rename radius to r: made, in 2 files/);
      assert.match(counted, /^3\n/m);
      assert.match(await readFile(join(workspace, "src", "main.rs"), "utf8"), /Circle \{ r: 1\.0 \}/);
    });
  });
}

describe("IDE operations of an editor that announces them", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();

  it("are asked of the editor, and no language server is started", async () => {
    const { folder, client, use } = await session(["hover", "documentSymbols"], {
      hover: { state: { kind: "ready" }, text: "as the editor says" },
    });
    assert.deepEqual(
      {
        said: await use("hover", { symbol: "src/main.rs:6#total_area" }),
        asked: client.peer.received
          .filter(({ kind }) => kind === "request")
          .map(({ method, params: given }) => [method, given?.value]),
        adapters: [...(await survivingProcesses(folder.root, 0)).values()].filter((line) =>
          / lsp\b|rust-analyzer/.test(line),
        ),
      },
      {
        said: "total_area at src/main.rs:6:17 [ready]\nas the editor says",
        asked: [
          [
            ideOperationMethod("hover"),
            {
              workspace: fileUri(folder.workspace),
              uri: fileUri(join(folder.workspace, "src", "main.rs")),
              position: { line: 5, character: 16 },
            },
          ],
        ],
        adapters: [],
      },
    );
  });

  it("are answered by rust-analyzer where the editor has nobody for Rust: for its unsaved text, and it makes the edit", async function () {
    await needsRustAnalyzer(this);
    const main = await readFile(join(crate, "src", "main.rs"), "utf8");
    const state = { kind: "degraded", reason: "No extension serves Rust.", isUnserved: true };
    const ready = { kind: "ready" };
    const nothing = { state, items: [], total: 0 };
    const lists = ["definition", "references", "documentSymbols", "workspaceSymbols"] as const;
    const { folder, client, use } = await session(
      [...lists, "rename", "status", "openFiles", "readDocument", "applyEdit"],
      {
        ...Object.fromEntries(lists.map((name) => [name, nothing])),
        rename: { state, edit: null },
        status: ({ workspace }) => ({
          state: ready,
          servers: [{ name: "rust", state, uri: `${workspace}/src/main.rs` }],
        }),
        openFiles: ({ workspace }) => ({
          state: ready,
          files: [{ uri: `${workspace}/src/main.rs`, isActive: true, isUnsaved: true }],
        }),
        readDocument: { state: ready, text: `// typed\n${main}` },
        applyEdit: { state: ready, isApplied: true },
      },
    );
    const untilReady = async (tool: string, args: JsonObject): Promise<string> => {
      for (let calls = 1; ; calls++) {
        const said = await use(tool, args);
        if (calls === 8 || !/loading/.test(said)) return said;
      }
    };
    assert.match(
      await use("find_definition", { symbol: "src/main.rs:7#total_area" }),
      /^src\/shape\.rs:16:8 \[(?:ready|loading), by Symposium's rust-analyzer/,
    );
    assert.match(
      await untilReady("rename", { symbol: "total_area", new_name: "sum_area" }),
      /^Rename total_area to sum_area: 4 changes in 2 files, not applied yet \[ready, by Symposium's rust-analyzer\]/,
    );
    assert.match(await use("apply_edit", { edit: "edit-1" }), /^Rename total_area to sum_area: made, in 2 files/);
    const applied = client.peer.received.find(({ method }) => method === ideOperationMethod("applyEdit"));
    const changes = arrayOf(objectOf(applied?.params?.object?.["edit"])["changes"]).map(objectOf);
    const inMain = changes.find(({ uri }) => stringOf(uri).endsWith("main.rs"));
    const lines = arrayOf(inMain?.["edits"]).map(
      (edit) => objectOf(objectOf(objectOf(edit)["range"])["start"])["line"],
    );
    const onDisk = await readFile(join(folder.workspace, "src", "main.rs"), "utf8");
    await client[Symbol.asyncDispose]();
    assert.deepEqual(
      [lines.sort(), onDisk, [...(await survivingProcesses(folder.root, adapterGraceMs)).values()]],
      [[2, 6, 7], main, []],
    );
  });

  type EditorAnswer = JsonObject | ((params: { readonly workspace: string }) => JsonObject);

  /** A session of an editor that announces operations and answers them, with a function that calls a tool. */
  async function session(
    operations: readonly IdeOperationName[],
    answers: { readonly [N in IdeOperationName]?: EditorAnswer },
  ): Promise<{
    readonly folder: RunFolder;
    readonly client: RawClient;
    readonly use: (tool: string, args: JsonObject) => Promise<string>;
  }> {
    const folder = scope().use(await createRunFolder("ide-operations"));
    await cp(crate, folder.workspace, { recursive: true });
    const { words } = conducted("the conductor", ["defaults"]);
    const trusting = [...words, "--trusted-folder", folder.workspace];
    const env = { ...folder.env, ...rustEnvironment, PATH: pathWith() };
    const client = scope().use(new RawClient({ words: trusting, env, cwd: folder.workspace }));
    const workspace = fileUri(folder.workspace);
    client.peer = scriptedClient({
      answers: Object.fromEntries(
        Object.entries(answers).map(([name, answer]) => [
          ideOperationPrefix + name,
          typeof answer === "function" ? answer({ workspace }) : answer,
        ]),
      ),
    });
    await client.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { _meta: { "symposium/ideOperations": ideOperationsCapability(operations) } },
    });
    const opened = await client.request("session/new", { cwd: folder.workspace, mcpServers: [] });
    const received = arrayOf(parseObject((await client.request("_test/received")).text)["received"]).map(objectOf);
    const params = objectOf(received.findLast(({ method }) => method === "session/new")?.["params"]);
    const entry = arrayOf(params["mcpServers"])
      .map(objectOf)
      .find(({ name }) => name === "ide-operations");
    const opening = { sessionId: stringOf(objectOf(opened.value)["sessionId"]), entries: [] };
    const ask = await connectMcp({ client, stack: scope() }, opening, objectOf(entry), "2025-11-25");
    const use = async (tool: string, args: JsonObject): Promise<string> => {
      const answer = await ask("tools/call", { name: tool, arguments: args });
      const [content] = arrayOf(objectOf(answer["result"])["content"]).map(objectOf);
      return stringOf(content?.["text"]);
    };
    return { folder, client, use };
  }
});

/** As a model does that reads how far the answer can be trusted. */
function whenReady(tool: RegExp, args: JsonObject): ScriptStep {
  return repeatUntil(isReady, callToolWith(tool, args));
}

function results(model: FakeModel): readonly string[] {
  return model.requests.at(-1)?.toolResults.map(({ text }) => text) ?? [];
}

async function needsRustAnalyzer(context: Mocha.Context): Promise<void> {
  const env = { ...environmentOfThisMachine(), PATH: pathWith() };
  const reason = whyNoCargo(env);
  if (reason !== undefined) skipBecause(context, reason);
  const { code } = await runToEnd({ words: ["rust-analyzer", "--version"], env, cwd: crate }, 120_000).catch(() => ({
    code: 1,
  }));
  if (code !== 0) skipBecause(context, "rust-analyzer does not run here");
}
