import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { relative } from "node:path";
import { promisify } from "node:util";
import * as vscode from "vscode";
import { TabDriver } from "../chat/chat-driver.js";
import { eventually } from "../eventually.js";
import { IdeProject } from "./ide-project.js";

const turnLimitMs = 70_000;

describe("IDE operations in a session of VS Code", function () {
  this.timeout(240_000);
  let project: IdeProject;
  let tab: TabDriver;

  before(async () => {
    await vscode.commands.executeCommand("symposium.openChat");
    project = await IdeProject.create({
      "tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext" } }),
      "shape.ts": "export class Circle {\n  area = 1;\n}\n",
      "main.ts": 'import { Circle } from "./shape.js";\nexport const size = new Circle().area;\n',
    });
    tab = await TabDriver.open("eliza");
  });
  after(async () => {
    await tab.close();
    await project[Symbol.asyncDispose]();
  });

  /** Returns a tool's answer to an agent. Retries while the editor is still loading. */
  function use(tool: string, args: object): Promise<string> {
    return eventually(async () => {
      const ends = (await tab.items("turn-end")).length;
      await tab.send(`use tool ide-operations::${tool} with ${JSON.stringify(args)}`);
      await eventually(async () => assert.ok((await tab.items("turn-end")).length > ends), turnLimitMs);
      const answer = (await tab.items("text")).at(-1)?.text ?? "";
      assert.doesNotMatch(answer, /\[loading|still loading/);
      return answer;
    }, 2 * turnLimitMs);
  }

  /** A path from the session's folder, as agents name it. */
  function named(name: string): string {
    const [root] = vscode.workspace.workspaceFolders ?? [];
    return relative(root?.uri.fsPath ?? "", project.path(name));
  }

  it("are answered by the editor, and no language server is started beside it", async () => {
    const answer = await use("find_definition", { symbol: `${named("main.ts")}:2#Circle` });
    assert.match(answer, /shape\.ts:1:14 \[ready\][^]*export class Circle \{/);
    const running = await descendants();
    assert.deepEqual(
      { chains: running.filter((words) => / run-with /.test(words)).length > 0, adapters: running.filter(isAdapter) },
      { chains: true, adapters: [] },
    );
  });

  it("bring what an agent edits by them under review", async () => {
    const preview = await use("rename", { symbol: `${named("shape.ts")}#Circle::area`, new_name: "surface" });
    const [edit = ""] = /edit-\d+/.exec(preview) ?? [];
    assert.match(await use("apply_edit", { edit }), /Rename area to surface: made, in 2 files/);
    assert.equal(await project.read("shape.ts"), "export class Circle {\n  surface = 1;\n}\n");
    const changed = async (): Promise<readonly string[]> =>
      ((await tab.state())?.changedFiles ?? []).map(({ uri }) => uri.replace(/.*\//, "")).sort();
    await eventually(async () => assert.deepEqual(await changed(), ["main.ts", "shape.ts"]));
  });
});

function isAdapter(words: string): boolean {
  return /symposium-acp-agent\S* (?:.* )?lsp\b/.test(words);
}

/** The command lines of all that this extension host has started. */
async function descendants(): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)("ps", ["-eo", "pid=,ppid=,args="]);
  const all = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, words = ""]) => ({
    pid,
    parent,
    words,
  }));
  const ours = new Set([String(process.pid)]);
  for (let known = 0; known < ours.size;) {
    known = ours.size;
    for (const { pid = "", parent = "" } of all) if (ours.has(parent)) ours.add(pid);
  }
  return all.filter(({ pid = "" }) => ours.has(pid)).map(({ words }) => words);
}
