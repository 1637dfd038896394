import assert from "node:assert/strict";
import type { IdeOperations } from "../../../src/base/ide-operations/ide-operations.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { isOfTexts } from "../../../src/extensions/ide-operations/edits/editor-writing.js";
import { ideOperationsProxy } from "../../../src/extensions/ide-operations/ide-operations-proxy.js";
import { languageServerAdapter } from "../../../src/extensions/ide-operations/language-server-adapter.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Outcome, type Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { trusting } from "../../../testing/scripted-client.js";
import { Stage } from "../../conductor/chain/chain-fixture.js";
import { IdeWorkspace, workspaceFolder } from "./ide-workspace.js";

const takesFiles = { fs: { readTextFile: true, writeTextFile: true } };
const rename = { symbol: "total_area", new_name: "sum_area" };

/** An editor without IDE operations over the files of a workspace in memory, with language servers of our own. */
class EditorStage implements AsyncDisposable {
  readonly workspace = new IdeWorkspace();
  /** Paths that the editor was asked to write, in order. */
  readonly written: string[] = [];
  readonly stage: Stage;
  /** Called after each of them. */
  onWritten: () => void = () => undefined;

  /** `refused` is a path that cannot be written; `handlers` are what the language servers answer otherwise. */
  constructor(refused?: string, handlers: IdeWorkspace["handlers"] = {}) {
    this.workspace.handlers = handlers;
    const { operations, services } = this.workspace;
    const adapter = languageServerAdapter(() =>
      Promise.resolve({
        supported: operations.supported,
        run: (...call: Parameters<IdeOperations["run"]>) => operations.run(...call),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      } as IdeOperations & AsyncDisposable),
    );
    this.stage = new Stage({
      proxies: [ideOperationsProxy({}, { services, version: "1.0.0", adapter, trust: trusting() })],
      client: {
        answers: {
          "fs/read_text_file": (request) => ({ content: this.#textOf(request) }),
          "fs/write_text_file": (request) => this.#write(request, refused),
        },
      },
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stage[Symbol.asyncDispose]();
  }

  async open(capabilities: unknown): Promise<void> {
    await this.stage.initialize(capabilities);
    await this.stage.result("session/new", { cwd: workspaceFolder, mcpServers: [] });
  }

  async call(name: string, args: object, signal = new AbortController().signal): Promise<string> {
    const server = this.stage.bridge.exposed.get("ide-operations");
    const context = { signal, notify: () => undefined };
    const outcome = await server?.call("tools/call", Json.of({ name, arguments: args }), context);
    const content = outcome?.json.object?.["content"];
    return String(Json.of(Array.isArray(content) ? content[0] : undefined).object?.["text"]);
  }

  #textOf(request: Request): string {
    const path = pathIn(request);
    return this.workspace.unsaved.get(path) ?? this.workspace.files.get(path) ?? "";
  }

  #write(request: Request, refused: string | undefined): unknown {
    const path = pathIn(request);
    if (path === refused) return Outcome.error(RpcError.internal("read-only"));
    this.written.push(path);
    this.onWritten();
    this.workspace.files.set(path, String(request.params?.object?.["content"]));
    return {};
  }
}

/** The path of a request, from the workspace's folder. */
function pathIn({ params }: Request): string {
  return String(params?.object?.["path"]).slice(workspaceFolder.length + 1);
}

describe("apply_edit in an editor that takes files", () => {
  it("is made by the editor, which language servers then read", async () => {
    await using stage = new EditorStage();
    await stage.open(takesFiles);
    await stage.call("rename", rename);
    assert.equal(
      await stage.call("apply_edit", { edit: "edit-1" }),
      "Rename total_area to sum_area: made, in 2 files: src/shape.rs, src/main.rs",
    );
    assert.deepEqual(stage.written, ["src/shape.rs", "src/main.rs"]);
    assert.match(stage.workspace.files.get("src/main.rs") ?? "", /let total = sum_area/);
    assert.ok(!stage.workspace.asked.includes("applyEdit"));
  });

  it("leaves everything as it was when one file cannot be written", async () => {
    await using stage = new EditorStage("src/main.rs");
    await stage.open(takesFiles);
    const before = new Map(stage.workspace.files);
    await stage.call("rename", rename);
    assert.match(
      await stage.call("apply_edit", { edit: "edit-1" }),
      /nothing was changed: \/w\/src\/main\.rs could not be written \(The editor refused .*read-only.*\)\. Nothing was changed\./,
    );
    assert.deepEqual([stage.written, stage.workspace.files], [["src/shape.rs", "src/shape.rs"], before]);
  });

  it("leaves everything as it was when it is given up between two files", async () => {
    await using stage = new EditorStage();
    await stage.open(takesFiles);
    const before = new Map(stage.workspace.files);
    await stage.call("rename", rename);
    const stop = new AbortController();
    stage.onWritten = () => stop.abort();
    await stage.call("apply_edit", { edit: "edit-1" }, stop.signal);
    assert.deepEqual([stage.written, stage.workspace.files], [["src/shape.rs", "src/shape.rs"], before]);
  });

  it("changes no file that has unsaved text", async function () {
    this.timeout(60_000);
    await using stage = new EditorStage();
    await stage.open(takesFiles);
    await stage.call("rename", rename);
    stage.workspace.unsaved.set("src/main.rs", "fn main() {}\n");
    assert.match(await stage.call("apply_edit", { edit: "edit-1" }), /main\.rs has unsaved changes\. Save it first/);
    assert.deepEqual(stage.written, []);
  });

  it("changes no file outside of the workspace, whatever a language server says", async () => {
    for (const uri of ["file:///elsewhere/a.rs", "file:///w/../elsewhere/a.rs"]) {
      const edit = { changes: [{ kind: "edit", uri, edits: [] }] } as const;
      await using stage = new EditorStage(undefined, { rename: () => Promise.resolve({ state: ready, edit }) });
      await stage.open(takesFiles);
      await stage.call("rename", rename);
      assert.match(await stage.call("apply_edit", { edit: "edit-1" }), /is not a file of the workspace/, uri);
      assert.deepEqual(stage.written, []);
    }
  });

  it("is made by the language servers' side where the editor takes no files", async () => {
    await using stage = new EditorStage();
    await stage.open({ fs: { readTextFile: true } });
    await stage.call("rename", rename);
    await stage.call("apply_edit", { edit: "edit-1" });
    assert.deepEqual([stage.written, stage.workspace.asked.includes("applyEdit")], [[], true]);
  });

  it("is not made by the editor where files come, move or go", () => {
    const edit = { kind: "edit", uri: "file:///w/a", edits: [] } as const;
    assert.deepEqual(
      [[edit], [edit, { kind: "delete", uri: "file:///w/b" } as const]].map((changes) => isOfTexts({ changes })),
      [true, false],
    );
  });
});
