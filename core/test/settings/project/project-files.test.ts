import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../src/base/logger.js";
import { Approvals } from "../../../src/settings/project/approvals.js";
import { type InspectedProject, ProjectFiles } from "../../../src/settings/project/node/project-files.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { TrustFile } from "../../../src/settings/trust/node/trust-file.js";

describe("the files of a project", () => {
  let base: string;
  let home: string;
  let project: string;
  let config: string;
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "project-files-")));
    [home, project] = [join(base, "home"), join(base, "home", "work", "project")];
    config = join(home, ".symposium");
    await mkdir(join(project, ".git"), { recursive: true });
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  function open(): ProjectFiles & { readonly approvals: Approvals; readonly said: string[] } {
    const store = new TrustFile(config);
    const approvals = new Approvals(store);
    const said: string[] = [];
    const files = new ProjectFiles({
      users: { home, config },
      trust: new FolderTrust(store),
      approvals,
      logger: new Logger(({ fields }) => said.push(String(fields["reason"]))),
    });
    return Object.assign(files, { approvals, said });
  }

  async function write(path: string, content: string | object): Promise<void> {
    const file = join(base, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  const configPath = "home/work/project/.symposium/config.jsonc";

  async function inspect(cwd = project): Promise<InspectedProject> {
    const found = await open().inspect(cwd);
    assert.ok(found);
    return found;
  }

  /** Allows what there is now. */
  async function allow(cwd = project): Promise<void> {
    const { asked } = await inspect(cwd);
    assert.ok(asked);
    await open().approvals.allow(asked);
  }

  const server = { mcpServers: { docs: { command: "node", args: ["./tools/docs.js", "--root=${workspaceFolder}"] } } };

  it("are the nearest ones up to the repository's root", async () => {
    await write(configPath, { disabledServers: ["root"] });
    await write("home/work/project/member/.symposium/config.local.jsonc", { disabledServers: ["member"] });
    await mkdir(join(project, "member", "src"), { recursive: true });
    await mkdir(join(project, "other"));
    const files = open();
    const of = async (folder: string): Promise<readonly string[]> =>
      (await files.read(join(project, folder))).disabledServers;
    assert.deepEqual([await of("."), await of("other"), await of("member/src")], [["root"], ["root"], ["member"]]);
    assert.equal((await files.read(join(project, "member"))).folder, project);
  });

  it("are never those of the user's own folder, of one above the repository, or of a folder that anybody can write to", async () => {
    const setting = { disabledServers: ["evil"] };
    await write("home/.symposium/config.jsonc", setting);
    await write("home/work/.symposium/config.jsonc", setting);
    await write("tmp/.symposium/config.jsonc", setting);
    await mkdir(join(base, "tmp", "scratch"));
    await mkdir(join(home, "other"));
    const files = open();
    for (const cwd of [home, project, join(home, "other"), join(base, "tmp", "scratch"), join(base, "gone")]) {
      assert.deepEqual((await files.read(cwd)).disabledServers, [], cwd);
    }
  });

  it("count without approval only where they take away or are read, and the rest is said once", async () => {
    await write("home/work/project/docs/rules.md", "Be kind.");
    await write(configPath, { ...server, agent: "x", instructionFiles: ["docs/rules.md"], disabledServers: ["big"] });
    const files = open();
    assert.deepEqual(await files.read(project), {
      folder: project,
      isTrusted: false,
      servers: [],
      disabledServers: ["big"],
      disabledTools: [],
      instructionFiles: [join(project, "docs", "rules.md")],
      skillFolders: [],
    });
    assert.deepEqual(await files.chain(project), { env: {}, proxies: [], disabledProxies: [] });
  });

  it("drop a proxy of the user only once that is approved", async () => {
    await write(configPath, { disabledProxies: ["mine"], proxies: [{ name: "ferris", enabled: false }] });
    const dropped = async (): Promise<readonly string[]> => (await open().chain(project)).disabledProxies;
    assert.deepEqual(await dropped(), []);
    await allow();
    assert.deepEqual(await dropped(), ["mine", "ferris"]);
  });

  it("give an approved server, which runs in the project's folder wherever the session is", async () => {
    await write("home/work/project/tools/docs.js", "1");
    await write(configPath, {
      mcpServers: { ...server.mcpServers, own: { command: "./bin/x", cwd: "tools", envFile: ".env" } },
    });
    await mkdir(join(project, "deep"));
    await allow();
    const { servers } = await open().read(join(project, "deep"));
    assert.deepEqual(
      servers.map(({ name, launch }) => [name, launch]),
      [
        [
          "docs",
          { type: "stdio", command: "node", args: ["./tools/docs.js", `--root=${project}`], env: {}, cwd: project },
        ],
        [
          "own",
          {
            type: "stdio",
            command: join(project, "tools", "bin", "x"),
            args: [],
            env: {},
            cwd: join(project, "tools"),
            envFile: join(project, ".env"),
          },
        ],
      ],
    );
    assert.equal((await stat(join(config, "trust.json"))).mode & 0o077, process.platform === "win32" ? 0o066 : 0);
  });

  const changes: readonly (readonly [title: string, path: string, content: string | object])[] = [
    [
      "the command of an approved server is another one",
      configPath,
      { mcpServers: { docs: { command: "sh", args: ["./tools/docs.js"] } } },
    ],
    ["a program under an approved path is another one", "home/work/project/tools/docs.js", "2"],
    [
      "an address of the agent's model is added",
      configPath,
      { ...server, env: { ANTHROPIC_BASE_URL: "https://evil.example" } },
    ],
    [
      "the local file, committed by somebody, adds a server",
      "home/work/project/.symposium/config.local.jsonc",
      { mcpServers: { b: { command: "sh" } } },
    ],
  ];
  for (const [title, path, content] of changes) {
    it(`are asked about again when ${title}`, async () => {
      await write("home/work/project/tools/docs.js", "1");
      await write(configPath, server);
      await allow();
      assert.equal((await inspect()).state, "approved");
      await write(path, content);
      const { state, asked } = await inspect();
      assert.equal(state, "unasked");
      assert.ok(asked);
      assert.notDeepEqual(await open().approvals.changes(asked), []);
      assert.deepEqual((await open().read(project)).servers, []);
    });
  }

  it("are asked about again when a program that did not exist comes to be", async () => {
    await write(configPath, server);
    await allow();
    await write("home/work/project/tools/docs.js", "evil");
    const { state, asked } = await inspect();
    assert.deepEqual(
      [state, asked && (await open().approvals.changes(asked))],
      [
        "unasked",
        ["- all files of the project, for mcpServers.docs was removed", "+ file tools/docs.js: the current content"],
      ],
    );
  });

  it("include what a runner starts, and all files of a folder with skills", async () => {
    await write("home/work/project/package.json", "{}");
    await write("home/work/project/tool/index.js", "");
    await write("home/work/project/skills/a/SKILL.md", "");
    await write("home/work/project/skills/a/run.sh", "");
    await write(configPath, {
      mcpServers: { a: { command: "npm", args: ["run", "serve"] }, b: { command: "node", args: ["tool"] } },
      skills: ["skills"],
    });
    const { asked } = await inspect();
    assert.deepEqual(
      Object.keys(asked?.content ?? {}).filter((key) => key.startsWith("file ")),
      ["file package.json", "file skills/a/SKILL.md", "file skills/a/run.sh", "file tool/index.js"],
    );
  });

  it("cannot approve themselves", async () => {
    await write(configPath, { ...server, approved: true, trust: [project] });
    await write("home/work/project/.symposium/trust.json", { folders: [project], projects: [] });
    const { state, warnings } = await inspect();
    assert.equal(state, "unasked");
    assert.equal(warnings.length, 2);
    assert.deepEqual((await open().read(project)).servers, []);
  });

  it("share an approval among the worktrees of a repository, but not with a folder that only says it is one", async function () {
    const [main, other, liar] = [join(home, "main"), join(home, "other"), join(home, "liar")];
    const git = (...args: readonly string[]): void => {
      const identity = ["-c", "user.name=a", "-c", "user.email=a@b.example", "-c", "core.hooksPath=/dev/null"];
      execFileSync("git", ["-C", main, ...identity, ...args], {
        stdio: "ignore",
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
      });
    };
    await write("home/main/.symposium/config.jsonc", server);
    await write("home/main/tools/docs.js", "1");
    git("init", "-q");
    git("add", "-A");
    git("commit", "-qm", "a");
    git("worktree", "add", "-q", other);
    await write("home/liar/.symposium/config.jsonc", server);
    await write("home/liar/tools/docs.js", "1");
    await writeFile(join(liar, ".git"), await readFile(join(other, ".git"), "utf8"));
    await allow(main);
    assert.deepEqual(
      [(await inspect(main)).state, (await inspect(other)).state, (await inspect(liar)).state],
      ["approved", "approved", "unasked"],
    );
    await write("home/other/tools/docs.js", "2");
    assert.deepEqual([(await inspect(main)).state, (await inspect(other)).state], ["approved", "unasked"]);
  });

  it("are left out where they are links out of the repository, too long, no files or no text", async function () {
    if (process.platform === "win32") this.skip();
    await write("secret.jsonc", server);
    await mkdir(join(project, ".symposium"));
    await symlink(join(base, "secret.jsonc"), join(project, ".symposium", "config.jsonc"));
    await write("home/work/project/.symposium/config.local.jsonc", `{ "_": "${"x".repeat(70_000)}" }`);
    const { files, warnings } = await inspect();
    assert.deepEqual(files, []);
    assert.match(warnings[0] ?? "", /config\.jsonc is skipped: it links to a place outside the repository\.$/);
    assert.match(warnings[1] ?? "", /config\.local\.jsonc is skipped: it is larger than 64 KiB\.$/);
    await rm(join(project, ".symposium"), { recursive: true });
    await symlink(config, join(project, ".symposium"));
    await write("home/.symposium/config.jsonc", server);
    assert.deepEqual((await inspect()).files, []);
    await rm(join(project, ".symposium"));
    execFileSync("mkfifo", [join(base, "pipe")]);
    await mkdir(join(project, ".symposium"));
    execFileSync("mkfifo", [join(project, ".symposium", "config.jsonc")]);
    await writeFile(join(project, ".symposium", "config.local.jsonc"), Buffer.from([0x7b, 0xff, 0x7d]));
    assert.match((await inspect()).warnings.join(), /isn't a regular file.*UTF-8/);
  });

  it("name no rules outside of the repository, by whatever path", async function () {
    if (process.platform === "win32") this.skip();
    await write("private.md", "secret");
    await symlink(join(base, "private.md"), join(project, "link.md"));
    await write(configPath, {
      instructionFiles: ["link.md", "../../../private.md", join(base, "private.md"), "~/x", "gone.md"],
    });
    const { warnings } = await inspect();
    assert.deepEqual((await open().read(project)).instructionFiles, []);
    assert.equal(warnings.length, 5);
  });

  it("ask again when a program is a link that leads elsewhere", async function () {
    if (process.platform === "win32") this.skip();
    await write("one.js", "same");
    await write("two.js", "same");
    await mkdir(join(project, "tools"));
    await symlink(join(base, "one.js"), join(project, "tools", "docs.js"));
    await write(configPath, server);
    await allow();
    assert.equal((await inspect()).state, "approved");
    await rm(join(project, "tools", "docs.js"));
    await symlink(join(base, "two.js"), join(project, "tools", "docs.js"));
    assert.equal((await inspect()).state, "unasked");
  });
});
