import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { ChatFixture, type FixtureOptions, TurnAgent } from "./terminal-chat-fixture.js";

describe("TerminalChat, when a file is more than the project's text", () => {
  let project = "";
  const harmless = "[core]\n";

  beforeEach(async () => {
    project = await realpath(await mkdtemp(join(tmpdir(), "terminal-chat-leave-")));
    await mkdir(join(project, ".git"));
    await writeFile(join(project, ".git", "config"), harmless);
    await writeFile(join(project, ".env"), "KEY=1");
    await writeFile(join(project, "a.txt"), "a");
  });
  afterEach(() => rm(project, { recursive: true }));

  interface Told {
    readonly answer: unknown;
    readonly screen: string;
  }

  /** One request of the agent; `typed` is what the user answers at the terminal. */
  async function request(method: string, params: object, options: FixtureOptions, typed?: string): Promise<Told> {
    let answer: unknown;
    const agent = new TurnAgent((turn) => {
      void ask(turn.client, Request.of(method, params)).then(({ isError, json }) => {
        answer = isError ? json.object?.["message"] : json.value;
        turn.end("end_turn");
      });
    });
    const fixture = new ChatFixture(agent, { cwd: project, ...options });
    const done = fixture.run("go");
    if (typed !== undefined) {
      await fixture.output.shows("allow?");
      fixture.input.write(`${typed}\n`);
    }
    await done;
    return { answer, screen: fixture.output.plain + fixture.errors.plain };
  }
  const write = (path: string, options: FixtureOptions = {}, typed?: string): Promise<Told> =>
    request("fs/write_text_file", { path: join(project, path), content: "new" }, options, typed);
  const read = (path: string, options: FixtureOptions = {}, typed?: string): Promise<Told> =>
    request("fs/read_text_file", { path: join(project, path) }, options, typed);
  const refusal = (use: string, path: string): string =>
    `The user did not allow you to ${use} ${join(project, path)}. Nothing was done; this isn't a tool failure.`;
  const textOf = (path: string): Promise<string> => readFile(join(project, path), "utf8");

  it("--no refuses every write, to Git's configuration and to text alike", async () => {
    const answers = [
      await write(".git/config", { permission: "reject" }),
      await write("a.txt", { permission: "reject" }),
    ];
    assert.deepEqual(
      answers.map(({ answer }) => answer),
      [refusal("write", ".git/config"), refusal("write", "a.txt")],
    );
    assert.deepEqual([await textOf(".git/config"), await textOf("a.txt")], [harmless, "a"]);
    assert.match(answers[1]?.screen ?? "", /permission: Write .*a\.txt: rejected/);
  });

  it("--no still lets text be read, and no secrets", async () => {
    const options = { permission: "reject" } as const;
    assert.deepEqual(
      [(await read("a.txt", options)).answer, (await read(".env", options)).answer],
      [{ content: "a" }, refusal("read", ".env")],
    );
  });

  it("asks on a terminal, and says what the file does", async () => {
    await mkdir(join(project, ".cargo"));
    const { answer, screen } = await write(".cargo/config.toml", { terminals: "all" }, "n");
    assert.equal(answer, refusal("write", ".cargo/config.toml"));
    assert.match(screen.replaceAll("\n", " "), /Write .*config\.toml, which can make cargo run other programs/);
    assert.deepEqual((await write(".cargo/config.toml", { terminals: "all" }, "y")).answer, {});
    assert.equal(await textOf(".cargo/config.toml"), "new");
  });

  it("refuses where nobody can be asked, and writes the rest", async () => {
    const answers = [await write(".git/config"), await read(".env"), await write("a.txt")];
    assert.deepEqual(
      answers.map(({ answer }) => answer),
      [refusal("write", ".git/config"), refusal("read", ".env"), {}],
    );
  });

  it("--yes allows all but writes to Git's own data, which the user alone allows", async () => {
    const options = { permission: "allow" } as const;
    assert.deepEqual(
      [(await write(".vscode/tasks.json", options)).answer, (await write(".git/hooks/pre-commit", options)).answer],
      [{}, refusal("write", ".git/hooks/pre-commit")],
    );
    assert.deepEqual((await write(".git/config", { ...options, terminals: "all" }, "y")).answer, {});
  });

  it("knows the file through links and other spellings", async () => {
    await symlink(join(project, ".git"), join(project, "data"));
    const answers = [await write("data/config"), await write(".GIT/config"), await write("x/../.git/config")];
    assert.deepEqual(
      answers.map(({ answer }) => answer),
      [refusal("write", "data/config"), refusal("write", ".GIT/config"), refusal("write", "x/../.git/config")],
    );
    assert.equal(await textOf(".git/config"), harmless);
  });

  it("replaces a file as a whole, keeps who may read it, and leaves nothing beside it", async () => {
    await writeFile(join(project, "run.sh"), "old", { mode: 0o750 });
    const before = await stat(join(project, "run.sh"));
    assert.deepEqual((await write("run.sh")).answer, {});
    assert.deepEqual((await write("new.txt")).answer, {});
    const after = await stat(join(project, "run.sh"));
    assert.deepEqual([after.mode, after.ino === before.ino], [before.mode, false]);
    // Another new file of the user's has what their umask leaves.
    assert.equal((await stat(join(project, "new.txt"))).mode, (await stat(join(project, "a.txt"))).mode);
    assert.deepEqual((await readdir(project)).sort(), [".env", ".git", "a.txt", "new.txt", "run.sh"]);
  });
});
