import assert from "node:assert/strict";
import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Bubblewrap } from "../../../src/guard/node/sandbox/bubblewrap.js";
import { findGitData } from "../../../src/guard/node/sandbox/git-data.js";
import { probeSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";
import { Watched } from "./watched.js";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "git-data-test-")));
const state = await probeSandbox(folder);

let project = "";

function git(at: string, ...words: readonly string[]): void {
  const user = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgSign=false"];
  execFileSync("git", ["-C", at, ...user, ...words], { stdio: "ignore" });
}

/** A repository with one commit, made by `git init` with more words. Returns its folder. */
function repository(path: string, ...words: readonly string[]): string {
  const at = join(project, path);
  mkdirSync(at, { recursive: true });
  git(at, "init", "-q", ...words);
  git(at, "commit", "--allow-empty", "-m", "first");
  return at;
}

describe("git's files below the folders of a sandbox", function () {
  this.timeout(60_000);
  beforeEach(() => {
    project = join(mkdtempSync(join(folder, "home-")), "project");
    mkdirSync(project);
  });
  after(() => rmSync(folder, { recursive: true }));

  it("are found behind links, in files that the configuration names, and in repositories nearest first", () => {
    repository(".");
    git(project, "config", "include.path", "../shared.gitconfig");
    git(project, "config", "core.hooksPath", "tools/hooks");
    git(project, "worktree", "add", "-q", "trees/one");
    writeFileSync(
      join(project, "shared.gitconfig"),
      '[includeIf "onbranch:x"]\n\tpath = "more/\\"x\\"" # one\n[include]\n\tpath = .\n',
    );
    for (const path of ["a/inner", "a/b/c/deep", "node_modules/x"]) repository(path);
    git(project, "init", "-q", "--bare", "bare");
    const found = findGitData([project], folder);
    const below = (path: string): string => path.slice(project.length + 1);
    assert.deepEqual(
      {
        folders: found.folders.map(below),
        trees: found.trees.map(below),
        named: found.named.map(({ path, kind }) => `${kind} ${below(path)}`),
        isCut: found.isCut,
      },
      {
        folders: [".git", "bare", "a/inner/.git", "a/b/c/deep/.git"],
        trees: ["", "trees/one", "a/inner", "a/b/c/deep"],
        named: [
          "link trees/one/.git",
          "hooks tools/hooks",
          "hooks trees/one/tools/hooks",
          "config shared.gitconfig",
          'config more/"x"',
        ],
        isCut: false,
      },
    );
    const limits = { folders: 1_000, repositories: 3, ms: 60_000 };
    const cut = findGitData([project], folder, limits);
    assert.deepEqual([cut.isCut, cut.folders.map(below)], [true, [".git", "bare", "a/inner/.git"]]);
    const few = findGitData([project], folder, { ...limits, folders: 2 });
    assert.deepEqual([few.isCut, few.trees.map(below)], [true, ["", "trees/one"]]);
  });

  if (!state.isThere) {
    it(`are held: NOT HERE, since ${state.reason}. ${state.remedy}`);
    return;
  }
  const { program } = state;

  /** Runs a script in a sandbox that is open for the project. Returns the signal that ended it, and why. */
  async function run(script: string): Promise<{ readonly signal: string | null; readonly ended: readonly string[] }> {
    await using watched = new Watched();
    const { watch } = watched;
    const home = join(project, "..");
    const subject = { id: "agent", needs: undefined, roots: [project], ownPrograms: [], home };
    const confined = new Bubblewrap({
      ...{ program, watch, subject: () => ({ ...subject, configFolder: join(home, ".symposium") }) },
    });
    const command = { command: "/bin/sh", args: ["-c", script], env: {}, cwd: project };
    const started = startProgram(command, { env: process.env, confined, stdio: ["ignore", "ignore", "ignore"] });
    if ("startError" in started) throw new Error(started.startError);
    const { child }: { child: ChildProcess } = started;
    await once(child, "exit");
    await watched.settled();
    const ended = watched.ended.map(({ path = "" }) => path.slice(project.length + 1));
    return { signal: child.signalCode, ended };
  }

  const ran = (): string => join(project, "../ran");
  /** Shell words that make a configuration which runs a program, at `path`. */
  const evil = (path: string): string =>
    `printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch ${ran()}; :"\\n' > ${path}`;
  const hook = (path: string): string =>
    `mkdir -p ${path}; printf '#!/bin/sh\\ntouch ${ran()}\\n' > ${path}/pre-commit; chmod +x ${path}/pre-commit`;

  /** Whether git runs a program of the agent when the user works in these folders. */
  function runsCode(...trees: readonly string[]): boolean {
    for (const tree of trees) {
      for (const words of [["status"], ["commit", "--allow-empty", "-m", "next"]]) {
        try {
          git(join(project, tree), ...words);
        } catch {
          // Git may refuse what the agent has left.
        }
      }
    }
    return existsSync(ran());
  }

  interface Held {
    readonly what: string;
    readonly lay: () => void;
    /** Commands of the agent. */
    readonly attack: () => string;
    /** The folders that the user then works in. */
    readonly trees: readonly string[];
  }

  const elsewhere = "cp -r .git evil";
  const held: readonly Held[] = [
    {
      what: "those of a repository below the root",
      lay: () => void repository("vendor/lib"),
      attack: () =>
        `${evil("vendor/lib/.git/config")}; ${hook("vendor/lib/.git/hooks")}; mv vendor v; cp -r v vendor; ${evil("vendor/lib/.git/config")}`,
      trees: ["vendor/lib"],
    },
    {
      what: "those of a bare repository below the root",
      lay: () => git(project, "init", "-q", "--bare", "vendor/bare"),
      attack: () => `${evil("vendor/bare/config")}; printf '\\tworktree = ..\\n' >> vendor/bare/config`,
      trees: ["vendor/bare"],
    },
    {
      what: "the file that leads a linked work tree below the root to its repository",
      lay: () => git(repository("."), "worktree", "add", "-q", "trees/one"),
      attack: () =>
        `${elsewhere}; ${evil("evil/config")}; rm -f trees/one/.git; mv trees t; mkdir -p trees/one; echo 'gitdir: ../../evil' > trees/one/.git`,
      trees: ["trees/one"],
    },
    {
      what: "those of a repository whose own folder lies elsewhere in the root",
      lay: () => {
        mkdirSync(join(project, "store"));
        repository(".", `--separate-git-dir=${join(project, "store/own")}`);
      },
      attack: () =>
        `${evil("store/own/config")}; ${hook("store/own/hooks")}; mv store s; cp -r s store; ${evil("store/own/config")}`,
      trees: ["."],
    },
    {
      what: "files that a configuration includes",
      lay: () => {
        writeFileSync(join(project, "shared"), "[user]\n\tname = a\n");
        git(repository("."), "config", "include.path", "../shared");
      },
      attack: () => `${evil("shared")}; ${evil("new")}; mv -f new shared`,
      trees: ["."],
    },
    {
      what: "the folder of hooks that a configuration names",
      lay: () => {
        mkdirSync(join(project, "tools/hooks"), { recursive: true });
        git(repository("."), "config", "core.hooksPath", "tools/hooks");
      },
      attack: () => `${hook("tools/hooks")}; mv tools t; ${hook("tools/hooks")}`,
      trees: ["."],
    },
    {
      what: "those of a repository that a link leads to",
      lay: () => {
        renameSync(join(repository("."), ".git"), join(project, "store"));
        symlinkSync("store", join(project, ".git"));
      },
      attack: () =>
        `${evil("store/config")}; ${hook("store/hooks")}; ${evil(".git/config")}; mv store s; cp -r s store; ${evil("store/config")}`,
      trees: ["."],
    },
  ];
  for (const { what, lay, attack, trees } of held) {
    it(`are held: ${what}`, async () => {
      lay();
      assert.deepEqual([await run(attack()), runsCode(...trees)], [{ signal: null, ended: [] }, false]);
    });
  }

  const wait = "while :; do sleep 0.1; done";
  for (const [path, lay, attack] of [
    [
      ".git",
      (): void => {
        renameSync(join(repository("."), ".git"), join(project, "store"));
        symlinkSync("store", join(project, ".git"));
      },
      (): string => `cp -r store evil; ${evil("evil/config")}; ln -sfn evil .git`,
    ],
    [
      "missing/shared",
      (): void => git(repository("."), "config", "include.path", "../missing/shared"),
      (): string => `mkdir missing; ${evil("missing/shared")}`,
    ],
    [
      "vendor/lib/.git/commondir",
      (): void => void repository("vendor/lib"),
      (): string =>
        `cp -r vendor/lib/.git evil; ${evil("evil/config")}; echo ../../../evil > vendor/lib/.git/commondir`,
    ],
  ] as const) {
    it(`end the sandbox in which they lead elsewhere, and are put aside: ${path}`, async () => {
      lay();
      const { signal, ended } = await run(`${attack()}; ${wait}`);
      const parent = join(project, path, "..");
      // Others of the sandbox may outlive its first process by a moment.
      for (let tries = 0; !readdirSync(parent).some((name) => name.includes(".set-aside-")) && tries < 500; tries++) {
        await delay(10);
      }
      assert.deepEqual([signal, [...new Set(ended)], existsSync(join(project, path))], ["SIGKILL", [path], false]);
      assert.equal(runsCode(".", "vendor/lib"), false);
    });
  }
});
