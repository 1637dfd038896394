import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentCommand } from "../support/agents/agent-command.js";
import type { AgentRecipe } from "../support/agents/agent-recipe.js";
import { claude, gemini, opencode } from "../support/agents/agent-recipes.js";
import { conductorProgram, shellWords } from "../support/conductor-command.js";
import { type FakeModel, startFakeModel } from "../support/fake-model/fake-model.js";
import { callToolWith, say, type ScriptStep } from "../support/fake-model/script.js";
import { objectOf } from "../support/json.js";
import { usePackage } from "../support/packages/use-package.js";
import type { RunFolder } from "../support/run-folder.js";
import { commandEnvironment, configFileOf, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { ZedClient } from "../support/zed-client.js";
import { scaledMs } from "../support/until.js";

const limitMs = 400_000;

interface Opened {
  readonly zed: ZedClient;
  readonly folder: RunFolder;
  readonly model: FakeModel;
  /** Of the file that scripts write. */
  readonly path: string;
}

type Script = (path: string) => readonly ScriptStep[];

/** Opens a Zed with these proxies before an agent whose model follows a script; the script gets a file's path. */
function useAgent(
  recipe: AgentRecipe,
  proxies: readonly string[],
): (script: Script, context: Mocha.Context) => Promise<Opened> {
  const binFolder = usePackage(recipe);
  const scope = useTestScope();
  return async (script, context) => {
    const folder = scope().use(await createCommandFolder());
    const path = join(folder.workspace, "poem.txt");
    const model = scope().use(await startFakeModel({ script: script(path) }));
    const { words, env } = await agentCommand(recipe, binFolder(context), folder, model.url);
    const enabled = proxies.map((proxy) => ({ name: proxy, enabled: true }));
    await writeFile(configFileOf(folder), JSON.stringify({ agent: shellWords(words), proxies: enabled }));
    scope().defer(async () => assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map()));
    const server = { command: "node", args: [conductorProgram], env: {} };
    const environment = { ...env, ...commandEnvironment(folder), PATH: env["PATH"] ?? "" };
    const zed = scope().use(new ZedClient({ server, project: folder.workspace, env: environment }));
    await zed.connect();
    if (recipe.authMethod !== undefined) await zed.signIn(recipe.authMethod);
    return { zed, folder, model, path };
  };
}

describe("Claude's edits in Zed", function () {
  this.timeout(scaledMs(limitMs));
  const open = useAgent(claude, ["editor-edits"]);
  const edit = (path: string): ScriptStep =>
    callToolWith(/editor-edits__edit$/, { file_path: path, old_string: "violets", new_string: "lilies" });
  const write = (path: string, content: string): ScriptStep =>
    callToolWith(/editor-edits__write$/, { file_path: path, content });

  it("are offered for review when they go through the editor, each written once and shown as a difference", async function () {
    const { zed, path } = await open((file) => [edit(file), say("All ", "done.")], this);
    await writeFile(path, "roses\nviolets\n");
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, "Change the poem."), "end_turn");
    const { review, writes } = zed.project;
    assert.deepEqual(
      { review, writes, disk: await readFile(path, "utf8"), faults: zed.faults },
      {
        review: new Map([["poem.txt", { before: "roses\nviolets\n", after: "roses\nlilies\n" }]]),
        writes: ["poem.txt"],
        disk: "roses\nlilies\n",
        faults: [],
      },
    );
    const [asked] = zed.permissionRequests.map(({ toolCall }) => objectOf(toolCall));
    const diff = { type: "diff", path, oldText: "violets", newText: "lilies" };
    assert.deepEqual(
      [asked?.["kind"], asked?.["title"], asked?.["locations"], asked?.["content"]],
      ["edit", `Edit ${path}`, [{ path }], [diff]],
    );
    const [call] = [...thread.toolCalls.values()];
    assert.deepEqual([call?.["status"], call?.["kind"]], ["completed", "edit"]);
  });

  it("are so for new files, too", async function () {
    const { zed, path } = await open((file) => [write(file, "roses\n"), say("Done.")], this);
    assert.equal(await zed.send(await zed.openThread(), "Write a poem."), "end_turn");
    assert.deepEqual(zed.project.review, new Map([["poem.txt", { before: undefined, after: "roses\n" }]]));
    assert.equal(await readFile(path, "utf8"), "roses\n");
  });

  it("cannot go by its own tools then, and it is told why a file outside the project is refused", async function () {
    const { zed, model } = await open(() => [write("/elsewhere/poem.txt", "roses\n"), say("Done.")], this);
    assert.equal(await zed.send(await zed.openThread(), "Write a poem."), "end_turn");
    const names = new Set(model.requests.flatMap(({ tools }) => tools.map((tool) => tool.name)));
    assert.deepEqual(
      ["Write", "Edit", "mcp__editor-edits__write", "mcp__editor-edits__edit", "Read"].map((tool) => names.has(tool)),
      [false, false, true, true, true],
    );
    const results = model.requests.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    assert.match(results.join("\n"), /The editor refused \/elsewhere\/poem\.txt: .*only the files of its project/);
  });
});

describe("Claude's own edits in Zed", function () {
  this.timeout(scaledMs(limitMs));
  const open = useAgent(claude, []);

  it("are shown, and not offered for review", async function () {
    const script = (path: string): readonly ScriptStep[] => [
      callToolWith(/^Write$/, { file_path: path, content: "roses\n" }),
      say("Done."),
    ];
    const { zed, path } = await open(script, this);
    const thread = await zed.openThread();
    assert.equal(await zed.send(thread, "Write a poem."), "end_turn");
    assert.deepEqual([await readFile(path, "utf8"), zed.project.writes], ["roses\n", []]);
  });
});

describe("OpenCode's edits in Zed", function () {
  this.timeout(scaledMs(limitMs));
  const open = useAgent(opencode, ["editor-edits"]);

  it("are offered for review where it asks for permission, and its own tools stay", async function () {
    const script = (path: string): readonly ScriptStep[] => [
      callToolWith(/^write$/, { filePath: path, content: "roses\n" }),
      say("Done."),
    ];
    const { zed, model } = await open(script, this);
    assert.equal(await zed.send(await zed.openThread(), "Write a poem."), "end_turn");
    assert.deepEqual(zed.project.review, new Map([["poem.txt", { before: undefined, after: "roses\n" }]]));
    assert.ok(!model.requests.some(({ tools }) => tools.some(({ name }) => name.includes("editor-edits"))));
  });

  it("are so for files that are there", async function () {
    const script = (path: string): readonly ScriptStep[] => [
      callToolWith(/^read$/, { filePath: path }),
      callToolWith(/^edit$/, { filePath: path, oldString: "violets", newString: "lilies" }),
      say("Done."),
    ];
    const { zed, path } = await open(script, this);
    const before = "roses\nviolets\n";
    const after = "roses\nlilies\n";
    await writeFile(path, before);
    assert.equal(await zed.send(await zed.openThread(), "Change the poem."), "end_turn");
    assert.deepEqual(zed.project.review, new Map([["poem.txt", { before, after }]]));
    assert.equal(await readFile(path, "utf8"), after);
  });
});

describe("Gemini's edits in Zed", function () {
  this.timeout(scaledMs(limitMs));
  const open = useAgent(gemini, []);

  it("are offered for review, each written once", async function () {
    const script = (path: string): readonly ScriptStep[] => [
      callToolWith(/^write_file$/, { file_path: path, content: "roses\n" }),
      say("Done."),
    ];
    const { zed } = await open(script, this);
    assert.equal(await zed.send(await zed.openThread(), "Write a poem."), "end_turn");
    const { review, writes } = zed.project;
    assert.deepEqual([writes, [...review.keys()]], [["poem.txt"], ["poem.txt"]]);
  });

  it("follow the mode that a selector has set, although Gemini has no config options", async function () {
    const { zed } = await open(() => [say("Done.")], this);
    const thread = await zed.openThread();
    const [mode, model] = thread.selectors;
    assert.deepEqual([mode?.id, mode?.category, mode?.current], ["mode", "mode", "default"]);
    assert.deepEqual([model?.id, model?.category], ["model", "model"]);
    await zed.choose(thread, "mode", "plan");
    assert.equal(thread.selectors[0]?.current, "plan");
    const other = model?.values.find((value) => value !== model.current) ?? "";
    await zed.choose(thread, "model", other);
    assert.equal(thread.selectors[1]?.current, other);
  });
});
