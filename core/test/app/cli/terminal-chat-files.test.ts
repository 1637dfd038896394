import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { ChatFixture, TurnAgent } from "./terminal-chat-fixture.js";

describe("TerminalChat, when the agent reads and writes files", () => {
  let root = "";
  let project = "";

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "terminal-chat-")));
    project = join(root, "project");
    await mkdir(project);
    await writeFile(join(project, "lines.txt"), "one\ntwo\nthree\n");
    await writeFile(join(root, "secret.txt"), "secret");
  });
  afterEach(() => rm(root, { recursive: true }));

  async function answerTo(method: string, params: Record<string, unknown>): Promise<unknown> {
    let answer: unknown;
    const agent = new TurnAgent((turn) => {
      void ask(turn.client, Request.of(method, params)).then(({ json }) => {
        answer = json.value;
        turn.end("end_turn");
      });
    });
    await new ChatFixture(agent, { cwd: project }).run("go");
    return answer;
  }
  const read = (path: string, more = {}): Promise<unknown> => answerTo("fs/read_text_file", { path, ...more });
  const write = (path: string, content: unknown): Promise<unknown> => answerTo("fs/write_text_file", { path, content });
  const outside = (path: string): unknown => ({
    code: -32602,
    message: `Invalid params: ${path} is outside ${project}, the folder of this session`,
  });

  it("gives the whole text, or the lines that are asked for", async () => {
    const path = join(project, "lines.txt");
    assert.deepEqual(
      [
        await read(path),
        await read(path, { line: 2 }),
        await read(path, { line: 2, limit: 1 }),
        await read(path, { line: 9 }),
      ],
      [{ content: "one\ntwo\nthree\n" }, { content: "two\nthree\n" }, { content: "two\n" }, { content: "" }],
    );
  });

  it("replaces files and creates them, with the folders above", async () => {
    const [old, made] = [join(project, "lines.txt"), join(project, "a", "b", "new.txt")];
    assert.deepEqual([await write(old, "1"), await write(made, "2")], [{}, {}]);
    assert.deepEqual([await readFile(old, "utf8"), await readFile(made, "utf8")], ["1", "2"]);
  });

  it("answers -32002 for a file that does not exist", async () => {
    const path = join(project, "none.txt");
    assert.deepEqual(await read(path), { code: -32002, message: `Resource not found: ${path}`, data: { path } });
  });

  it("refuses files outside of the folder, by whatever spelling", async () => {
    for (const path of [
      join(root, "secret.txt"),
      `${project}/../secret.txt`,
      `${project}-more/x`,
      `${project}/no/../../x`,
    ]) {
      assert.deepEqual(await write(path, "gone"), outside(path));
    }
    assert.deepEqual(await read(`${project}/../secret.txt`), outside(`${project}/../secret.txt`));
    assert.equal(await readFile(join(root, "secret.txt"), "utf8"), "secret");
  });

  it("follows no link out of the folder, to a file, through a folder or to nothing", async () => {
    await symlink(join(root, "secret.txt"), join(project, "file"));
    await symlink(root, join(project, "folder"));
    await symlink(join(root, "nothing"), join(project, "dangling"));
    const [file, inner, fresh] = [
      join(project, "file"),
      join(project, "folder/secret.txt"),
      join(project, "folder/new"),
    ];
    assert.deepEqual(
      [await read(file), await read(inner), await write(file, "x"), await write(fresh, "x")],
      [outside(file), outside(inner), outside(file), outside(fresh)],
    );
    const dangling = join(project, "dangling");
    assert.deepEqual(await write(dangling, "x"), {
      code: -32002,
      message: `Resource not found: ${dangling}`,
      data: { path: dangling },
    });
    await assert.rejects(readFile(join(root, "nothing")));
  });

  it("refuses what is no file, no absolute path or no text", async () => {
    assert.deepEqual(
      [await read(project), await read("lines.txt"), await write(join(project, "x"), 1)],
      [
        { code: -32602, message: `Invalid params: ${project} is not a file` },
        { code: -32602, message: "Invalid params: lines.txt is not an absolute path" },
        { code: -32602, message: `Invalid params: "content" of ${join(project, "x")} must be a string` },
      ],
    );
  });

  it("compares a file that an agent replaces and reports as new, as Claude Code does, with its text before", async () => {
    const agent = new TurnAgent((turn) => {
      const diffOf = (name: string): object => ({
        type: "diff",
        path: join(project, name),
        newText: "one\n2\nthree\n",
      });
      for (const [index, name] of ["lines.txt", "made.txt"].entries()) {
        const update = { toolCallId: `c${index}`, content: [diffOf(name)] };
        turn.update({ sessionUpdate: "tool_call", title: `Write ${name}`, kind: "edit", status: "pending", ...update });
        writeFileSync(join(project, name), "one\n2\nthree\n");
        turn.update({ sessionUpdate: "tool_call_update", status: "completed", ...update });
      }
      turn.end("end_turn");
    });
    const chat = new ChatFixture(agent, { cwd: project, terminals: "output" });
    await chat.run("go");
    const diffs = chat.output.plain.split("\n").filter((line) => line.startsWith("  "));
    const [replaced, made] = [
      ["  lines.txt", "   one", "  -two", "  +2", "   three"],
      ["  made.txt (new)", "  +one", "  +2", "  +three"],
    ];
    assert.deepEqual(diffs, [...replaced, ...made]);
  });

  it("serves no files of this machine in a session on another machine", async () => {
    const secret = join(root, "secret.txt");
    const answers: unknown[] = [];
    const requests = [
      Request.of("fs/read_text_file", { sessionId: "s", path: secret }),
      Request.of("fs/read_text_file", { path: secret }),
      Request.of("fs/write_text_file", { sessionId: "s", path: secret, content: "gone" }),
      Request.of("terminal/create", { sessionId: "s", command: "true" }),
    ];
    const agent = new TurnAgent((turn) => {
      void Promise.all(requests.map((request) => ask(turn.client, request))).then((outcomes) => {
        answers.push(...outcomes.map(({ json }) => json.object?.["code"]));
        turn.end("end_turn");
      });
    });
    await new ChatFixture(agent, { cwd: "/", machine: "ssh:build", permission: "allow" }).run("go");
    assert.deepEqual(answers, [-32601, -32601, -32601, -32601]);
    assert.equal(await readFile(secret, "utf8"), "secret");
    assert.deepEqual(agent.clientCapabilities["fs"], { readTextFile: false, writeTextFile: false });
    assert.equal(agent.clientCapabilities["terminal"], false);
  });

  it("compares no file of this machine with a change on another machine", async () => {
    const agent = new TurnAgent((turn) => {
      const content = [{ type: "diff", path: join(project, "lines.txt"), newText: "one\n2\n" }];
      const toolCall = { toolCallId: "c", title: "Write lines.txt", kind: "edit", content };
      const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
      const request = Request.of("session/request_permission", { toolCall, options });
      void ask(turn.client, request).then(() => turn.end("end_turn"));
    });
    const chat = new ChatFixture(agent, { cwd: project, machine: "ssh:build", terminals: "all" });
    const exit = chat.run("go");
    await chat.output.shows("allow? ");
    chat.input.write("y\r");
    await exit;
    const shown = chat.output.plain.split("\n").filter((line) => line.startsWith("  "));
    assert.deepEqual(shown.slice(0, -1), ["  lines.txt", "  +one", "  +2"]);
  });

  it("shows a change once that the agent reports as a new file before it, and as a hunk after it", async () => {
    const agent = new TurnAgent((turn) => {
      const path = join(project, "lines.txt");
      const call = { toolCallId: "c", title: "Write lines.txt", kind: "edit" };
      const content = [{ type: "diff", path, newText: "one\n2\nthree\n" }];
      const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
      const params = { toolCall: { ...call, content }, options };
      void ask(turn.client, Request.of("session/request_permission", params)).then(() => {
        const hunk = [{ type: "diff", path, oldText: "one\ntwo", newText: "one\n2" }];
        turn.update({ sessionUpdate: "tool_call_update", ...call, status: "completed", content: hunk });
        turn.end("end_turn");
      });
    });
    const chat = new ChatFixture(agent, { cwd: project, terminals: "all" });
    const exit = chat.run("go");
    await chat.output.shows("allow? ");
    chat.input.write("y\r");
    await exit;
    assert.equal(chat.output.plain.split("\n").filter((line) => line === "  +2").length, 1);
  });
});
