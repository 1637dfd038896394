import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sessions } from "../../../src/app/cli/sessions.js";
import { deletedAt, noteDeleted } from "../../../src/sessions/conversations/node/deleted-sessions.js";
import { KeptSessions } from "../../sessions/conversations/node/kept-sessions.js";
import { runCommand } from "./run-command.js";

describe("sessions", function () {
  this.timeout(300_000);
  let kept: KeptSessions;
  beforeEach(async () => {
    kept = await KeptSessions.open();
    await kept.open();
    await kept.prompt("Mend the parser", () => {
      kept.says("It is men");
      kept.says("ded.\u001b[31m");
      kept.sends({ sessionUpdate: "tool_call", toolCallId: "c", title: "Edit a.ts", kind: "edit", status: "pending" });
      kept.sends({ sessionUpdate: "tool_call_update", toolCallId: "c", status: "completed" });
      void kept.asks();
    });
    await kept.restart();
  });
  afterEach(() => kept[Symbol.asyncDispose]());

  async function run(...words: readonly string[]): Promise<readonly [unknown, string]> {
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: kept.root };
    const { code, stdout, stderr } = await runCommand({ name: "sessions", words, env, cwd: kept.root });
    return [code, stdout + stderr];
  }

  it("lists, shows, finds, exports and deletes a conversation", async () => {
    const [code, listed] = await run("list");
    const id = /^[\da-f]{8}(?= )/.exec(listed)?.[0] ?? "";
    assert.equal(code, 0);
    assert.match(listed, /^[\da-f]{8} {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}test-agent, 1 turn: Mend the parser\n {4}/);
    const shown = [
      "## 1. You\n\n> Mend the parser\n\n## 1. Agent\n\nIt is mended.␛[31m\n\n",
      "- Edit a.ts (edit, completed)\n\n- _Asked:_ rm -rf build — Allow\n\n",
    ].join("");
    assert.ok((await run("show", id))[1].endsWith(shown));
    assert.match((await run("search", "is MENDED"))[1], /\n {4}turn 1, agent: It is mended\./);
    assert.deepEqual(await run("search", "sessionUpdate"), [0, 'No conversation contains "sessionUpdate".\n']);
    const file = join(kept.root, "out.jsonl");
    assert.deepEqual(await run("export", "last", "--format", "jsonl", "--output", file), [0, ""]);
    assert.equal(await readFile(file, "utf8"), await kept.text());
    if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
    const [again, problem] = await run("export", id, "--output", file);
    assert.equal(again, 2);
    assert.match(problem, /out\.jsonl cannot be written: .* Give a file that does not exist yet\.\n$/);
    assert.match((await run("export", "one"))[1], /^# Mend the parser\n\nBegun /);
    assert.deepEqual(await run("delete", id), [0, "1 conversation is deleted.\n"]);
    assert.deepEqual(await run("list", "--json"), [0, "[]\n"]);
  });

  it("answers with JSON", async () => {
    const json = async (...words: readonly string[]): Promise<unknown> =>
      JSON.parse((await run(...words, "--json"))[1]);
    const [id] = (await kept.sessions()).map((session) => session.id);
    assert.deepEqual(await json("rename", "last", "Another title"), { renamed: id, title: "Another title" });
    const { conversation, answer, exitCode } = (await json("continue", "last", "hello", "--agent", "eliza")) as {
      readonly conversation: unknown;
      readonly answer: string;
      readonly exitCode: unknown;
    };
    assert.deepEqual([conversation, exitCode], [id, 0]);
    assert.match(answer, /^[A-Z].+\n$/);
    assert.match((await run("continue", "last", "--json"))[1], /--json needs a prompt/);
    assert.deepEqual(await json("delete", id ?? ""), { deleted: [id], kept: [] });
  });

  it("leaves archived conversations out of the board, except on request", async () => {
    const [id = ""] = (await kept.sessions()).map((session) => session.id);
    assert.match((await run("board"))[1], /^1 other\n/);
    assert.match((await run("board", "--archived"))[1], /There are no archived conversations\./);
    assert.deepEqual(await run("archive", "last"), [0, "1 conversation is archived.\n"]);
    assert.match((await run("board"))[1], /There are no conversations\./);
    assert.match((await run("board", "--archived"))[1], /^1 other\n/);
    assert.deepEqual(await run("unarchive", id), [0, "1 conversation is no longer archived.\n"]);
    assert.match((await run("board"))[1], /^1 other\n/);
  });

  it("ends only after a slow reader of its output has taken all of it", async () => {
    const { SYMPOSIUM_CONFIG_DIR: folder } = process.env;
    const write = process.stdout.write.bind(process.stdout);
    let taken = 0;
    process.env["SYMPOSIUM_CONFIG_DIR"] = kept.root;
    process.stdout.write = (chunk: string | Uint8Array, done?: unknown) => {
      setImmediate(() => {
        taken += chunk.length;
        (done as (() => void) | undefined)?.();
      });
      return false;
    };
    try {
      assert.equal(await sessions(["export", "last", "--format", "jsonl"]), 0);
      assert.equal(taken, (await kept.text()).length);
      taken = 0;
      assert.equal(await sessions(["list", "--json"]), 0);
      assert.ok(taken > 0);
    } finally {
      process.stdout.write = write;
      if (folder === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
      else process.env["SYMPOSIUM_CONFIG_DIR"] = folder;
    }
  });

  it("lists a file whose first line is damaged, with its path and what to do, and not one that is still empty", async () => {
    const folder = join(kept.root, "sessions");
    const [one] = await kept.sessions();
    const damaged = join(folder, `${one?.id ?? ""}.jsonl`);
    const text = await kept.text();
    await writeFile(join(folder, "20260101000000-00000000.jsonl"), "");
    await writeFile(damaged, text.replace('"version":1', '"version":'));
    const line = `Damaged: ${damaged}: its first line can't be read, so it isn't listed. Fix that line or delete the file; if a later version of Symposium wrote it, update Symposium.\n`;
    assert.deepEqual(await run("list"), [0, `There are no conversations in ${folder}.\n${line}`]);
    assert.deepEqual(await run("list", "--json"), [0, `[]\n${line}`]);
    await writeFile(damaged, text);
    assert.match((await run("list"))[1], /^[\da-f]{8} {2}[^\n]*Mend the parser\n {4}[^\n]*\n$/);
  });

  it("remembers what was deleted, and when, by its agent and session alone", async () => {
    const before = Date.now();
    const sessionsFolder = join(kept.root, "sessions");
    assert.equal(await deletedAt(sessionsFolder, "test-agent", "one"), undefined);
    await run("delete", "last");
    const at = await deletedAt(sessionsFolder, "test-agent", "one");
    assert.ok(at !== undefined && at >= before && at <= Date.now());
    assert.equal(await deletedAt(sessionsFolder, "other", "one"), undefined);
    await noteDeleted(
      sessionsFolder,
      [
        { agent: "other", session: "two" },
        { agent: "test-agent", session: "one" },
      ],
      1,
    );
    assert.equal(
      await readFile(join(sessionsFolder, "deleted.json"), "utf8"),
      '[["other","two",1],["test-agent","one",1]]\n',
    );
  });

  it("takes up an exported conversation once, under its own title, and gives it another one", async () => {
    const [file, other] = [join(kept.root, "out.jsonl"), join(kept.root, "other.txt")];
    await run("export", "last", "--format", "jsonl", "--output", file);
    await run("delete", "last");
    await writeFile(other, "nothing of ours\n");
    const [code, id] = await run("import", file);
    assert.equal(code, 0);
    assert.deepEqual(await run("import", file), [0, id]);
    const [one, ...more] = await kept.sessions();
    assert.deepEqual(
      [`${one?.id}\n`, one?.session, one?.agent, one?.turns, one?.title, more.length],
      [id, "one", "test-agent", 1, "Mend the parser", 0],
    );
    assert.match((await run("search", "is MENDED"))[1], /\n {4}turn 1, agent: It is mended\./);
    assert.match((await run("show", "last"))[1], /- Edit a\.ts \(edit, completed\)\n\n- _Asked:_ rm -rf build — Allow/);
    assert.deepEqual(await run("rename", "last", "Parsers"), [0, ""]);
    const [renamed] = await kept.sessions();
    assert.deepEqual([renamed?.title, renamed?.turns, renamed?.updated], ["Parsers", 1, one?.updated]);
    assert.match((await run("rename", "last", " "))[1], /The title is empty\. Give one\./);
    assert.match(
      (await run("import", other))[1],
      /other\.txt isn't an exported conversation: its first line doesn't identify a session/,
    );
    assert.match((await run("import", dirname(file)))[1], /is a folder\. Give the exported file\./);
    assert.match((await run("import", "nowhere"))[1], /nowhere cannot be read: .* Check its path\./);
    await writeFile(join(kept.root, "config.jsonc"), '{ "conversations": { "keep": false } }');
    assert.match((await run("import", file))[1], /Conversations are not stored on this machine/);
  });

  it("deletes nothing that is open, and says what it does not know", async () => {
    await kept.open("two");
    await kept.prompt("Open", undefined, "two");
    await kept.settled();
    const before = await kept.sessions();
    const refused = await run("delete", "--all");
    const why = "All 2 conversations stored here would be deleted, but there is no terminal for the confirmation.";
    assert.deepEqual(refused, [2, `${why} Nothing was deleted. To delete without confirmation, add --yes.\n`]);
    assert.deepEqual(await kept.sessions(), before);
    const [code, text] = await run("delete", "--all", "--yes");
    assert.equal(code, 1);
    assert.match(text, /is open in an editor and was not deleted\. Close it there first\./);
    assert.deepEqual(
      (await kept.sessions()).map(({ title }) => title),
      ["Open"],
    );
    const unknown = 'There is no conversation "nix". `symposium-acp-agent sessions list` shows the ids.\n';
    assert.deepEqual(await run("show", "nix"), [2, unknown]);
    assert.match((await run("delete"))[1], /takes ids or --all/);
    const [{ id } = { id: "" }] = await kept.sessions();
    assert.match((await run("delete", id, "--yes"))[1], /--yes requires --all/);
  });
});
