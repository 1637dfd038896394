import assert from "node:assert/strict";
import { ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { stopDivertedGit } from "../../../src/guard/node/sandbox/stop-diverted-git.js";
import type { WatchPaths } from "../../../src/guard/node/sandbox/missing-paths.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";
import { claudeSandbox, type SandboxNeeds } from "../../../src/agents/registry/sandbox-needs.js";
import { Watched } from "./watched.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-test-")));
const state = await probeSandbox(folder);

/** Makes files with the words `as it was`, and the folders above them. */
function lay(...paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "as it was\n");
  }
}

describe("what a sandbox holds", function () {
  this.timeout(300_000);
  after(() => rmSync(folder, { recursive: true }));
  if (!state.isThere) {
    it(`is tried: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }
  const { program } = state;
  let home = "";
  beforeEach(() => (home = mkdtempSync(join(folder, "home-"))));

  interface Options {
    readonly needs?: SandboxNeeds;
    readonly watch?: WatchPaths;
    readonly cwd?: string;
    readonly bubblewrap?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly refused?: (path: string | undefined) => void;
  }

  function confine(root: string, { needs, watch, refused, bubblewrap = program }: Options = {}): Bubblewrap {
    const configFolder = join(home, ".symposium");
    const subject = { id: "agent", needs, roots: [root], ownPrograms: [], configFolder, home };
    const options = { program: bubblewrap, subject: () => subject };
    return new Bubblewrap({ ...options, ...(watch && { watch }), ...(refused && { refused }) });
  }

  /** Starts a script of `sh` in a sandbox that is open for `root`. */
  function start(root: string, script: string, options: Options = {}): ChildProcess {
    const { cwd = root, env = process.env } = options;
    const started = startProgram(
      { command: "/bin/sh", args: ["-c", script], env: {}, cwd },
      { env, confined: confine(root, options), stdio: ["pipe", "pipe", "pipe"] },
    );
    if ("startError" in started) throw new Error(started.startError);
    return started.child;
  }

  async function said(root: string, script: string, options?: Options): Promise<string> {
    const child = start(root, `{ ${script}; } 2>&1`, options);
    const [out] = await Promise.all([text(child.stdout ?? Readable.from([])), once(child, "exit")]);
    return out.trim();
  }

  it("are the folders that were looked at, and none that a link leads to which came in their place meanwhile", async () => {
    const [project, secret] = [join(home, "project"), join(home, "secret")];
    const [dotfiles, settings] = [join(project, ".gemini"), join(project, ".gemini/settings.json")];
    lay(settings, join(secret, "settings.json"));
    // As another sandbox of the same folder can have it between our look and its own, by a link that comes and goes.
    const leading = (path: string, elsewhere: string): string => {
      const bubblewrap = join(home, "bwrap");
      const swap = `case "$before" in --bind|--ro-bind) [ "$word" = '${path}' ] && word='${elsewhere}';; esac`;
      const words = `before=; for word in "$@"; do shift; was=$word; ${swap}; set -- "$@" "$word"; before=$was; done`;
      writeFileSync(bubblewrap, `#!/bin/sh\n${words}\nexec '${program}' "$@"\n`, { mode: 0o700 });
      return bubblewrap;
    };
    const paths: unknown[] = [];
    const run = (path: string, elsewhere: string): Promise<string> => {
      const bubblewrap = leading(path, elsewhere);
      return said(project, "echo ran; cat .gemini/*", { bubblewrap, refused: (one) => paths.push(one) });
    };
    assert.equal(await run("/none", "/none"), "ran\nas it was");
    assert.equal(await run(dotfiles, secret), "");
    assert.equal(await run(settings, join(secret, "settings.json")), "");
    assert.deepEqual(paths, [dotfiles, settings]);
  });

  it("are the folders of sessions that were looked at, also where they have nothing that is held", async () => {
    const [project, bubblewrap, paths] = [join(home, "a b/project"), join(home, "bwrap"), [] as unknown[]];
    lay(join(project, "file"), join(home, "secret/file"));
    // Another sandbox of the folder above can do this between our look and bubblewrap's.
    for (const swap of [":", `mv '${project}' '${home}/p'; ln -s '${home}/secret' '${project}'`]) {
      writeFileSync(bubblewrap, `#!/bin/sh\n${swap}\nexec '${program}' "$@"\n`, { mode: 0o700 });
      paths.push(await said(project, "cat file", { bubblewrap, refused: (one) => paths.push(one) }));
    }
    assert.deepEqual(paths, ["as it was", project, ""]);
  });

  it("are the git folders of a linked work tree, whose own folder there could name another configuration", async () => {
    const [main, tree] = [join(home, "main"), join(home, "tree")];
    const git = (...words: readonly string[]): unknown =>
      execFileSync("git", ["-C", main, "-c", "user.name=a", "-c", "user.email=a@b", ...words], { stdio: "ignore" });
    mkdirSync(main);
    git("init");
    git("commit", "--allow-empty", "-m", "first");
    git("worktree", "add", tree);
    rmSync(join(main, ".git/hooks"), { recursive: true });
    const own = join(main, ".git/worktrees/tree");
    const script = `echo x > '${own}/commondir'; mv '${own}' '${own}2'; echo x > '${main}/.git/hooks/pre-commit'; git rev-parse --is-inside-work-tree; echo x > '${own}/MERGE_MSG'`;
    assert.match(await said(tree, script), /^true$/m);
    assert.deepEqual(
      [
        readFileSync(join(own, "commondir"), "utf8"),
        existsSync(join(main, ".git/hooks/pre-commit")),
        existsSync(join(own, "MERGE_MSG")),
      ],
      ["../..\n", false, true],
    );
  });

  it("are the settings of an agent whose folder is a link to another one, by both of its names", async () => {
    const [project, real] = [join(home, "project"), join(home, "dotfiles/claude")];
    lay(join(project, "a"), join(real, "settings.json"), join(real, "credentials"));
    symlinkSync(real, join(home, ".claude"));
    const files = [join(home, ".claude/settings.json"), join(real, "settings.json")];
    const script = `cat '${home}/.claude/credentials'; ${files.map((file) => `echo x > '${file}'; echo y > '${file}2'; mv '${file}2' '${file}'`).join("; ")}; echo z > '${home}/.claude/new'`;
    assert.match(
      await said(project, script, { needs: { ...claudeSandbox, state: [{ folder: ".claude" }] } }),
      /^as it was/,
    );
    assert.deepEqual(
      [readFileSync(join(real, "settings.json"), "utf8"), readFileSync(join(real, "new"), "utf8")],
      ["as it was\n", "z\n"],
    );
  });

  it("are programs in the agent's own folder, folders that others would start programs of, and what others run just now", async () => {
    const [project, own] = [join(home, "project"), join(home, ".claude")];
    const snapshot = join(own, "shell-snapshots/one.sh");
    const tool = join(own, "tools/bin/tool");
    lay(join(project, "a"), snapshot, tool);
    const script = `echo x > '${tool}'; mv '${own}/tools' '${own}/other'; echo x > '${own}/skills/one'; cat '${snapshot}'; echo x > '${snapshot}' && echo own`;
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:${dirname(tool)}` };
    const needs = { ...claudeSandbox, state: [{ folder: ".claude" }] };
    const output = await said(project, script, { needs, env });
    assert.match(output, /^own$/m);
    assert.doesNotMatch(output, /^as it was$/m);
    assert.deepEqual(
      [readFileSync(tool, "utf8"), readFileSync(snapshot, "utf8"), existsSync(join(own, "skills/one"))],
      ["as it was\n", "as it was\n", false],
    );
  });

  it("stays so when another sandbox with the same private folder removes the folders that mounts lie upon", async function () {
    if (!existsSync("/usr/bin/python3")) this.skip();
    const [one, other] = [join(home, "one"), join(home, "other")];
    lay(join(one, ".git/hooks/sample"), join(other, "a"));
    const attack = `import os
try:
  os.rename("hooks", "x", src_dir_fd=9, dst_dir_fd=9)
  os.mkdir("hooks", dir_fd=9)
  print("open")
except OSError as error: print("held", error.errno)`;
    const first = start(one, `exec 9< .git; echo ready; read word; /usr/bin/python3 -c '${attack}' 2>&1`);
    const ready = once(first.stdout ?? first, "data");
    await ready;
    const removed = await said(other, `rmdir '${one}' && echo removed`);
    first.stdin?.end("go\n");
    const [out] = await Promise.all([text(first.stdout ?? Readable.from([])), once(first, "exit")]);
    assert.deepEqual([removed, out.trim()], ["removed", "held 16"]);
    assert.ok(existsSync(join(one, ".git/hooks/sample")));
  });

  it("are files that a tool's words and variables name, which agents choose, and not those of a program of the user's", async () => {
    const [project, secret, keys] = [join(home, "project"), join(home, "docs/inner/letter"), join(home, ".ssh/id")];
    lay(join(project, "a"), secret, keys);
    const read = async (isNamedByAgents: boolean): Promise<string> => {
      const configFolder = join(home, ".symposium");
      const subject = { id: "tools", needs: undefined, roots: [project], ownPrograms: [], configFolder, home };
      const env = { PATH: `${process.env["PATH"] ?? ""}:${join(home, ".ssh")}` };
      const script = `cat '${secret}' '${keys}' 2> /dev/null; echo end`;
      const started = startProgram(
        { command: "/bin/sh", args: ["-c", script, "sh", secret], env, cwd: project },
        {
          env: process.env,
          confined: new Bubblewrap({ program, subject: () => ({ ...subject, isNamedByAgents }) }),
          stdio: ["ignore", "pipe", "pipe"],
        },
      );
      if ("startError" in started) return started.startError;
      const [out] = await Promise.all([text(started.child.stdout ?? Readable.from([])), once(started.child, "exit")]);
      return out;
    };
    assert.deepEqual([await read(true), await read(false)], ["end\n", "as it was\nas it was\nend\n"]);
  });

  it("are git's own folders of submodules, whose names are paths, and a second file of configuration that the first one names", async () => {
    const project = join(home, "project");
    const [git, module] = [join(project, ".git"), join(project, ".git/modules/third/party")];
    lay(
      ...[git, module].flatMap((folder) => [join(folder, "config"), join(folder, "HEAD"), join(folder, "objects/x")]),
    );
    writeFileSync(join(module, "config"), "[extensions]\n\tworktreeConfig = true\n");
    const files = [".git/modules/third/party/config", ".git/modules/third/party/config.worktree"];
    const hook = ".git/modules/third/party/hooks/pre-commit";
    const script = [...files, hook].map((file) => `echo x > ${file}; echo x > y && mv -f y ${file}`).join("; ");
    await said(project, `${script}; mv .git/modules/third .git/modules/3; echo x > .git/modules/third/party/index`);
    assert.deepEqual(
      [...files, ".git/modules/third/party/index"].map((file) => readFileSync(join(project, file), "utf8")),
      ["[extensions]\n\tworktreeConfig = true\n", "", "x\n"],
    );
    assert.deepEqual([existsSync(join(project, hook)), existsSync(join(git, "config.worktree"))], [false, false]);
  });

  it("are submodules that are called as the insides of a repository, which a planted HEAD would have them be", async () => {
    const project = join(home, "project");
    const modules = join(project, ".git/modules");
    const names = ["hooks", "third/lfs", "third/info/deep", "third/modules/refs"];
    const files = names.map((name) => join(modules, name, "config"));
    lay(...[modules, join(modules, "third")].flatMap((at) => [join(at, "HEAD"), join(at, "objects/x")]), ...files);
    const section = (name: string): string => `[submodule "${name}"]\n\turl = x\n`;
    writeFileSync(
      join(project, ".git/config"),
      ["hooks", "third", "third/lfs", "third/info/deep"].map(section).join(""),
    );
    writeFileSync(join(modules, "third/config"), section("refs"));
    await said(project, files.map((file) => `echo x > ${file}`).join("; "));
    assert.deepEqual(
      files.map((file) => readFileSync(file, "utf8")),
      files.map(() => "as it was\n"),
    );
  });

  function git(at: string, ...words: readonly string[]): string {
    const said = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
    return execFileSync("git", ["-C", at, ...said, ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  /** A repository with another one as the submodule `name`. */
  function repositoryWith(name: string): string {
    const [library, project] = [join(home, "library"), join(home, "project")];
    for (const at of [library, project]) {
      mkdirSync(at);
      git(at, "init");
      git(at, "commit", "--allow-empty", "-m", "first");
    }
    git(project, "submodule", "add", library, name);
    git(project, "commit", "-m", "second");
    return project;
  }

  it("are the submodules of a linked work tree, which has git folders of its own for them", async () => {
    const [project, tree] = [repositoryWith("hooks"), join(home, "tree")];
    git(project, "worktree", "add", tree);
    git(tree, "submodule", "update", "--init");
    git(project, "config", "extensions.worktreeConfig", "true");
    const own = join(project, ".git/worktrees/tree");
    const files = ["modules/hooks/config", "modules/hooks/hooks/post-checkout", "config.worktree"];
    const paths = [...files.map((file) => join(own, file)), join(tree, "hooks/.git")];
    const content = (): readonly string[] => paths.map((path) => (existsSync(path) ? readFileSync(path, "utf8") : ""));
    const before = content();
    const planted = "for name in HEAD objects; do cp -r modules/hooks/$name modules; done";
    const attack = paths.map((path) => `echo x > '${path}'; echo x > y; mv -f y '${path}'`).join("; ");
    assert.match(await said(tree, `cd '${own}'; ${planted}; echo done`), /done/);
    for (const root of [tree, project]) await said(root, `cd '${own}'; ${attack}; mv modules/hooks modules/h`);
    assert.deepEqual(content(), before);
  });

  it("are no git folders of a repository that has come in the place of a submodule", async () => {
    const project = repositoryWith("lib");
    const own = join(project, "lib/.git");
    rmSync(own);
    git(join(project, "lib"), "init");
    assert.match(await said(project, "cd lib && echo x > .git/index && echo written"), /written/);
  });

  it("are the files by which git finds its own folders of submodules", async () => {
    const project = repositoryWith("third party/lib");
    const [tree, ran] = [join(project, "third party/lib"), join(home, "ran")];
    const before = readFileSync(join(tree, ".git"), "utf8");
    const evil = `cp -r '.git/modules/third party/lib' evil; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tworktree = "../third party/lib"\\n\\tfsmonitor = "touch ${ran}; :"\\n' > evil/config`;
    const link = "echo 'gitdir: ../../evil' > 'third party/lib/.git'";
    const away = "rm -f 'third party/lib/.git'; mv 'third party/lib' l; mv 'third party' t; mkdir -p 'third party/lib'";
    await said(project, `${evil}; ${link}; ${away}; ${link}; echo x > 'third party/lib/new'`);
    git(project, "status");
    assert.deepEqual(
      [readFileSync(join(tree, ".git"), "utf8"), existsSync(join(tree, "new")), existsSync(ran)],
      [before, true, false],
    );
  });

  it("are all submodules: none is hidden among more folders than are looked at", () => {
    const project = join(home, "project");
    lay(join(project, ".git/modules/third/party/config"));
    for (let number = 0; number < 5_000; number++) mkdirSync(join(project, ".git/modules", `a${number}`));
    assert.throws(
      () => start(project, "echo x > .git/modules/third/party/config"),
      /modules" has more than 5000 folders/,
    );
  });

  it("needs no pipes of a bubblewrap that could not be started, as where no more files can be opened", () => {
    const project = join(home, "project");
    mkdirSync(project);
    const plain = { file: "/bin/true", args: [], env: {}, given: {}, cwd: project, stdio: "pipe" as const };
    const confined = confine(project).confine(plain);
    assert.ok("started" in confined);
    assert.doesNotThrow(() => confined.started(new ChildProcess()));
  });

  it("is git's own folder: a sandbox that has git read another one is ended, and the file is put aside", async () => {
    const project = join(home, "project");
    const module = join(project, ".git/modules/third/party");
    lay(join(project, ".git/config"), join(project, ".git/HEAD"), join(module, "config"), join(module, "HEAD"));
    await using watched = new Watched();
    for (const file of [".git/commondir", ".git/modules/third/party/commondir", "HEAD"]) {
      const child = start(project, `echo ref: refs/heads/evil > x; mv x ${file}; while :; do sleep 0.1; done`, watched);
      await once(child, "exit");
      // Once more where others of the sandbox have outlived its first process by a moment.
      await watched.settled();
      assert.deepEqual([child.signalCode, existsSync(join(project, file))], ["SIGKILL", false], file);
    }
  });

  it("is git's own folder, also where the sandbox's first process has others that outlive it", async () => {
    const file = join(home, "project/.git/commondir");
    lay(file);
    const command = { command: "/bin/sh", args: ["-c", "sleep 1000 & echo ready; wait"], env: {}, cwd: home };
    const started = startProgram(command, { env: process.env, confined: "not asked for", stdio: "pipe" });
    assert.ok("child" in started);
    const { child } = started;
    await once(child.stdout ?? child, "data");
    assert.ok(stopDivertedGit(file, child.pid ?? 0, { entry: lstatSync(file), ends: false }));
    // Its output ends with the last process that has it.
    await once(child, "close");
    assert.deepEqual([child.signalCode, existsSync(file)], ["SIGKILL", false]);
  });

  it("is told when a link of a name that runs code later becomes another, and not before", async () => {
    const project = join(home, "project");
    lay(join(project, "linked/settings.json"), join(project, ".claude"));
    symlinkSync("linked", join(project, ".vscode"));
    await using watched = new Watched();
    const { watch } = watched;
    await said(project, "echo > new", { watch });
    await watched.settled();
    assert.deepEqual(watched.appeared, []);
    await said(project, "rm .vscode && mkdir .vscode", { watch });
    await watched.settled();
    assert.deepEqual(watched.appeared, [join(project, ".vscode")]);
  });

  it("starts package runners, whose folder is ours, where no project has a word in what they run", async () => {
    const project = join(home, "project");
    lay(join(project, "a"), join(home, ".symposium/packages/package.json"));
    assert.equal(await said(project, "pwd", { cwd: join(home, ".symposium/packages") }), "/tmp");
  });

  it("does not start with a bubblewrap that agents write, nor for an agent whose own folder holds the home folder", () => {
    const project = join(home, "project");
    const own = join(project, "bin/bwrap");
    lay(own);
    const plain = { file: "/bin/true", args: [], env: process.env, given: {}, cwd: project, stdio: "ignore" as const };
    const needs = { ...claudeSandbox, state: [{ folderIn: "STATE", folder: ".claude" }] };
    assert.deepEqual(
      [
        confine(project, { bubblewrap: own }).confine(plain),
        confine(project, { needs }).confine({ ...plain, env: { ...process.env, STATE: home } }),
      ],
      [
        {
          startError: `sandbox: ${own} is in "${project}", where agents can write. Remove that folder from PATH, or install bubblewrap elsewhere.`,
        },
        { startError: `sandbox: the agent's own folder "${home}" holds your home folder: name another one` },
      ],
    );
  });
});
