import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RpcError } from "@symposium-dev/core";
import {
  Documents,
  type OpenDocument,
  type OpenDocuments,
  type WrittenFile,
} from "../../../src/features/documents/documents.js";
import { agentOptions, editRequest, PermissionFixture, pressed } from "../permissions/permission-fixture.js";
import { RecordingSession } from "../permissions/recording-session.js";

/** Documents that an editor has open; they save as an editor does. */
class MemoryDocuments implements OpenDocuments {
  readonly documents = new Map<string, { text: string; isDirty: boolean }>();
  refusesToSave = false;

  find(paths: readonly string[]): OpenDocument | undefined {
    const path = paths.find((one) => this.documents.has(one));
    const document = path === undefined ? undefined : this.documents.get(path);
    if (path === undefined || document === undefined) return undefined;
    return {
      ...document,
      replace: (text) => {
        this.documents.set(path, { text, isDirty: true });
        return Promise.resolve(text);
      },
      save: async () => {
        const { text } = this.documents.get(path) ?? document;
        if (this.refusesToSave) return undefined;
        this.documents.set(path, { text, isDirty: false });
        await writeFile(path, text);
        return text;
      },
    };
  }

  decode(_path: string, bytes: Uint8Array): Promise<string> {
    return Promise.resolve(new TextDecoder().decode(bytes));
  }

  encode(_path: string, text: string): Promise<Uint8Array> {
    return Promise.resolve(new TextEncoder().encode(text));
  }
}

describe("documents", () => {
  let folder: string;
  let outside: string;
  let session: RecordingSession;
  let fixture: PermissionFixture;
  let open: MemoryDocuments;
  let documents: Documents;
  let written: Omit<WrittenFile, "session">[];

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "documents-")));
    outside = await realpath(await mkdtemp(join(tmpdir(), "outside-")));
    session = new RecordingSession([folder]);
    fixture = new PermissionFixture();
    open = new MemoryDocuments();
    written = [];
    documents = new Documents({
      open,
      permissions: fixture.permissions,
      written: ({ path, before, after, wasUnsaved }) => written.push({ path, before, after, wasUnsaved }),
    });
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
    await rm(outside, { recursive: true });
  });

  const read = (path: string, more = {}): Promise<unknown> =>
    documents.requests["fs/read_text_file"](session.call({ path, ...more }));
  const write = (path: string, content: string): Promise<unknown> =>
    documents.requests["fs/write_text_file"](session.call({ path, content }));
  const answerCard = async (optionId: string): Promise<void> =>
    fixture.permissions.respond(pressed((await session.openCard()).id, optionId));

  it("reads lines by their 1-based number with the ends that they have", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "one\r\ntwo\r\nthree");
    const parts = [{}, { line: 2 }, { line: 2, limit: 1 }, { limit: 1 }, { line: 9 }, { line: null, limit: null }];
    assert.deepEqual(await Promise.all(parts.map((part) => read(path, part))), [
      { content: "one\r\ntwo\r\nthree" },
      { content: "two\r\nthree" },
      { content: "two\r\n" },
      { content: "one\r\n" },
      { content: "" },
      { content: "one\r\ntwo\r\nthree" },
    ]);
  });

  it("reads unsaved text, and the disk where a clean document is behind it", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "disk");
    open.documents.set(path, { text: "unsaved", isDirty: true });
    assert.deepEqual(await read(path), { content: "unsaved" });
    open.documents.set(path, { text: "stale", isDirty: false });
    assert.deepEqual(await read(path), { content: "disk" });
  });

  it("says that a file is missing with ACP's code for it", async () => {
    const path = join(folder, "no file");
    const data = { uri: `file://${folder}/no%20file` };
    await assert.rejects(read(path), { error: new RpcError(-32002, `Resource not found: ${path}`, data) });
  });

  it("refuses a relative path and a folder", async () => {
    await assert.rejects(read("a.txt"), { message: 'Invalid params: the path "a.txt" is not absolute' });
    await assert.rejects(read(folder), { message: `Invalid params: "${folder}" is not a file` });
  });

  it("writes a new file into new folders and reports it", async () => {
    const path = join(folder, "new/deep/a.txt");
    assert.deepEqual(await write(path, "text\n"), {});
    assert.equal(await readFile(path, "utf8"), "text\n");
    assert.deepEqual(written, [{ path, before: undefined, after: "text\n", wasUnsaved: false }]);
  });

  it("keeps permissions and line ends of a file and leaves nothing beside it", async () => {
    const path = join(folder, "run.sh");
    await writeFile(path, "a\r\nb\r\n");
    await chmod(path, 0o755);
    await write(path, "a\nc\n");
    const { mode } = await stat(path);
    assert.deepEqual(
      [mode & 0o777, await readFile(path, "utf8"), await readdir(folder)],
      [0o755, "a\r\nc\r\n", ["run.sh"]],
    );
  });

  it("writes through the open document, so that it can be undone", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "disk");
    open.documents.set(path, { text: "unsaved", isDirty: true });
    await write(path, "agent");
    assert.deepEqual(open.documents.get(path), { text: "agent", isDirty: false });
    assert.deepEqual(written, [{ path, before: "unsaved", after: "agent", wasUnsaved: true }]);
  });

  it("reports a text that the editor has but cannot save, and says so to the agent", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "a command's");
    open.documents.set(path, { text: "unsaved", isDirty: true });
    open.refusesToSave = true;
    await assert.rejects(write(path, "agent"), /a\.txt has the new text in the editor but couldn't be saved/);
    assert.deepEqual(written, [{ path, before: "unsaved", after: "agent", wasUnsaved: true }]);
    assert.equal(await readFile(path, "utf8"), "a command's");
  });

  it("writes the disk where a clean document is behind it", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "newer");
    open.documents.set(path, { text: "stale", isDirty: false });
    await write(path, "agent");
    assert.equal(await readFile(path, "utf8"), "agent");
    assert.deepEqual(written, [{ path, before: "newer", after: "agent", wasUnsaved: false }]);
  });

  it("does writes to one file one after the other", async () => {
    const path = join(folder, "a.txt");
    await Promise.all(["1", "2", "3"].map((text) => write(path, text)));
    assert.deepEqual(
      written.map(({ before, after }) => [before, after]),
      [
        [undefined, "1"],
        ["1", "2"],
        ["2", "3"],
      ],
    );
  });

  it("writes what a link leads to and keeps the link", async () => {
    await writeFile(join(folder, "real.txt"), "old");
    await symlink("real.txt", join(folder, "link.txt"));
    await write(join(folder, "link.txt"), "new");
    assert.equal(await readFile(join(folder, "real.txt"), "utf8"), "new");
  });

  for (const [what, name] of [
    ["outside the workspace", ""],
    ["behind a link that leads out", "link"],
    ["behind a dangling link that leads out", "dangling"],
  ] as const) {
    it(`asks before it writes ${what}, and does not when the user says no`, async () => {
      await symlink(outside, join(folder, "link"));
      await symlink(join(outside, "x"), join(folder, "dangling"));
      const path =
        name === "" ? join(outside, "x") : name === "link" ? join(folder, "link/x") : join(folder, "dangling");
      const answer = write(path, "text");
      const [result] = await Promise.allSettled([answer, answerCard("reject")]);
      assert.equal(result.status, "rejected");
      assert.deepEqual([await readdir(outside), written], [[], []]);
    });
  }

  it("reads outside the workspace when the user allows it", async () => {
    await writeFile(join(outside, "x"), "text");
    const answer = read(join(outside, "x"));
    await answerCard("allow");
    assert.deepEqual(await answer, { content: "text" });
  });

  it("asks before it reads secrets and writes settings", async () => {
    await writeFile(join(folder, ".env"), "TOKEN=1");
    void read(join(folder, ".env")).catch(() => undefined);
    void write(join(folder, ".vscode/tasks.json"), "{}").catch(() => undefined);
    await session.openCard(1);
    assert.deepEqual(
      session
        .itemsOf("permission")
        .map(({ title }) => title)
        .sort(),
      ["Read .env", "Write .vscode/tasks.json"],
    );
  });

  it("asks before it writes Git's own data even with a bypass", async () => {
    await mkdir(join(folder, ".git"));
    fixture.bypass.agentIds.push("scripted");
    void write(join(folder, ".git/config"), "").catch(() => undefined);
    assert.deepEqual((await session.openCard()).warnings, [
      `${folder}/.git/config belongs to Git's own data, which can make Git run programs (hooks, filters, fsmonitor).`,
    ]);
  });

  it("does not ask again for what the user has just allowed the agent, once", async () => {
    const path = join(outside, "x");
    const answer = fixture.permissions.requests["session/request_permission"](session.call(editRequest(path)));
    await answerCard(agentOptions[1]?.optionId ?? "");
    await answer;
    await write(path, "text");
    assert.equal(await readFile(path, "utf8"), "text");
    void write(path, "more").catch(() => undefined);
    assert.equal((await session.openCard()).title, `Write ${path}`);
  });
});
