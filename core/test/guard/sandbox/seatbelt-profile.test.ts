import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { protectedInWorkspace } from "../../../src/guard/sandbox/protected-names.js";
import { type SeatbeltPaths, seatbeltProfile } from "../../../src/guard/sandbox/seatbelt-profile.js";
import { isAllowed, rulesOf } from "./seatbelt-rules.js";

const home = "/Users/user";
const project = `${home}/app`;
const privateHome = `${home}/.symposium/guard/home/codex`;
const temporary = "/private/var/folders/ab/T/symposium-sandbox-1";

function pathsFor(root: string, more: Partial<SeatbeltPaths> = {}): SeatbeltPaths {
  return {
    ...{ home, privateHome, temporary, programs: [`${home}/.cargo/bin`], state: [`${home}/.codex`], roots: [root] },
    ...{ runsLater: [`${root}/.git/hooks`, `${root}/.git/config`, `${home}/.codex/config.toml`] },
    ...{ hidden: [`${home}/.symposium`], links: [], ports: [4321] },
    named: [
      { folder: root, names: protectedInWorkspace },
      { folder: `${home}/.codex`, names: ["config.toml", "skills/*"] },
    ],
    ...more,
  };
}

const hostile = [
  '/Users/user/a"b',
  "/Users/user/a\\b",
  "/Users/user/a\\",
  '/Users/user/") (allow default) ("',
  "/Users/user/a)b(c",
  "/Users/user/a\nb",
  "/Users/user/a;b",
  '/Users/user/(param "PATH_0")',
  "/Users/user/[x]^$.*+?{2}|y",
  "/Users/user/ü 日本 🎈",
  "/Users/user/a b\tc",
  "/Users/user/'#\"x",
];

describe("the profile of a sandbox of macOS", () => {
  const profile = seatbeltProfile(pathsFor(project));
  const may = (name: string, path: string): boolean => isAllowed(profile, { name, path });

  it("is this text, and these parameters", () => {
    const file = fileURLToPath(new URL("../../../../test/guard/sandbox/golden/seatbelt.sb", import.meta.url));
    const said = `${profile.text}\n\n${JSON.stringify(profile.parameters, undefined, 2)}\n`;
    if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(file, said);
    assert.equal(existsSync(file) ? readFileSync(file, "utf8") : "", said);
  });

  it("has the folders of sessions, of the agent, and private ones written, and nothing else", () => {
    const written = [`${project}/src/a.ts`, `${home}/.codex/sessions/1`, `${privateHome}/.npm/x`, `${temporary}/x`];
    const others = [home, `${home}/.bashrc`, `${home}/.ssh/id`, `${home}/apple`, "/usr/local/bin/x", "/private/etc/x"];
    const more = [`${home}/.cargo/bin/cargo`, "/private/tmp/x", `${home}/.symposium/guard.jsonc`, `${privateHome}2/x`];
    assert.deepEqual(
      [
        written.map((path) => may("file-write-data", path)),
        [...others, ...more].map((path) => may("file-write-create", path)),
      ],
      [Array(4).fill(true), Array(10).fill(false)],
    );
  });

  it("has the system, toolchains and what may be written read, and nothing else of the user's folder", () => {
    const read = ["/usr/bin/git", "/System/Library/x", `${home}/.cargo/bin/cargo`, `${project}/.git/config`, "/"];
    const others = [`${home}/.ssh/id`, home, `${home}/other/x`, `${home}/.symposium/guard.jsonc`, "/private/tmp/x"];
    const more = ["/Library/Keychains/System.keychain", `/System/Volumes/Data${home}/.ssh/id`, "/opt/homebrew/var/db"];
    assert.deepEqual(
      [
        read.map((path) => may("file-read-data", path)),
        [...others, ...more].map((path) => may("file-read-data", path)),
      ],
      [Array(5).fill(true), Array(8).fill(false)],
    );
  });

  it("has folders above looked up, as programs do on their way, and not listed", () => {
    const above = ["/Users", home, `${home}/.symposium/guard`];
    assert.deepEqual(
      above.map((path) => [may("file-read-metadata", path), may("file-read-data", path)]),
      above.map(() => [true, false]),
    );
  });

  it("holds what runs code later, whether it is there or not, in any case of its letters", () => {
    const names = [".git/hooks/post-commit", ".git/config", ".vscode/tasks.json", ".VSCode", ".Git/Hooks/x", ".ENVRC"];
    const starred = [".git/modules/a/config", ".git/MODULES/a/hooks/x", ".git/worktrees/b/gitdir"];
    const inState = ["config.toml", "skills/mine/run.sh"].map((name) => `${home}/.codex/${name}`);
    const held = [...[...names, ...starred].map((name) => `${project}/${name}`), ...inState];
    assert.deepEqual(
      held.filter(
        (path) => may("file-write-create", path) || may("file-write-data", path) || may("file-write-unlink", path),
      ),
      [],
    );
    // Similar names aren't protected; programs may write these files.
    const work = [".vscodeignore", "sub/.vscode/tasks.json", ".git/index", ".git/modules/config", "xenvrc"];
    assert.deepEqual(
      work.filter((path) => !may("file-write-create", `${project}/${path}`)),
      [],
    );
  });

  it("keeps the folders that these lie in from being moved away and changed elsewhere", () => {
    const pinned = [project, `${project}/.git`, `${project}/.cargo`, `${home}/.codex`, privateHome, temporary];
    assert.deepEqual(
      [...pinned.map((path) => may("file-write-unlink", path)), may("file-write-unlink", `${project}/src`)],
      [...pinned.map(() => false), true],
    );
  });

  it("keeps a hidden folder within a project unread, but for the private folder in it", () => {
    const hidden = `${home}/dotfiles/symposium`;
    const own = `${hidden}/guard/home/codex`;
    const inside = seatbeltProfile(pathsFor(`${home}/dotfiles`, { hidden: [hidden], privateHome: own }));
    const paths = [`${hidden}/guard.jsonc`, `${own}/x`, `${home}/dotfiles/zshrc`];
    assert.deepEqual(
      ["file-read-data", "file-write-data"].map((name) => paths.map((path) => isAllowed(inside, { name, path }))),
      [
        [false, true, true],
        [false, true, true],
      ],
    );
    assert.equal(isAllowed(inside, { name: "file-write-unlink", path: hidden }), false);
  });

  it("lets a file of a hidden folder be read that is given, and no more", () => {
    const hidden = `${home}/dotfiles/symposium`;
    const given = `${hidden}/guard/gemini-policy.toml`;
    const inside = seatbeltProfile(pathsFor(`${home}/dotfiles`, { hidden: [hidden], given: [given] }));
    assert.deepEqual(
      ["file-read-data", "file-write-data"].map((name) =>
        [given, `${hidden}/guard/log.jsonl`].map((path) => isAllowed(inside, { name, path })),
      ),
      [
        [true, false],
        [false, false],
      ],
    );
  });

  it("has what is installed in our own folder read, and a socket's folder there written, and nothing else of it", () => {
    const own = `${home}/.symposium`;
    const [installed, socket] = [`${own}/bin/agent`, `${own}/lsp/1`];
    const given = seatbeltProfile(pathsFor(project, { programs: [own, installed], state: [socket] }));
    const may = (name: string, path: string): boolean => isAllowed(given, { name, path });
    const paths = [
      `${installed}/cli.js`,
      `${socket}/x.sock`,
      `${own}/guard.jsonc`,
      `${own}/bin/other`,
      `${own}/lsp/2/x`,
    ];
    assert.deepEqual(
      ["file-read-data", "file-write-create"].map((name) => paths.map((path) => may(name, path))),
      [
        [true, true, false, false, false],
        [false, true, false, false, false],
      ],
    );
  });

  it("reaches no socket of a hidden folder, where an agent's own service listens, and has those of its private folder", () => {
    const hidden = [`${home}/.codex/app-server-control`, `${home}/dotfiles/symposium`];
    const own = `${home}/dotfiles/symposium/guard/home/codex`;
    const { text, parameters } = seatbeltProfile(pathsFor(`${home}/dotfiles`, { hidden, privateHome: own }));
    const reached = (path: string): boolean => isAllowed({ text, parameters }, { name: "network-outbound", path });
    assert.deepEqual(
      [`${home}/.codex/x.sock`, `${own}/x.sock`, ...hidden.map((folder) => `${folder}/x.sock`)].map(reached),
      [true, true, false, false],
    );
  });

  it("opens nothing but files, and the ports that are named, to connections", () => {
    const words = rulesOf(profile.text).filter(
      ([effect, first]) => effect === "allow" && /^(?:network|mach|appleevent|job)/.test(String(first)),
    );
    const text = JSON.stringify(words);
    assert.ok(text.includes("localhost:4321"));
    assert.doesNotMatch(
      text,
      /\*:|localhost:\*|securityd|SecurityServer|trustd|launchservices|pasteboard|appleevent|job-/i,
    );
  });

  for (const root of hostile) {
    it(`has no word of a path such as ${JSON.stringify(root)} as a rule`, () => {
      const plain = seatbeltProfile(pathsFor(project));
      const odd = seatbeltProfile(pathsFor(root));
      const shape = (text: string): string => text.replace(/\(regex #"[^"]*"\)/g, "(regex)");
      assert.equal(shape(odd.text), shape(plain.text));
      assert.doesNotMatch(odd.text, /[^\x20-\x7e\n]/);
      assert.equal(Object.values(odd.parameters).filter((path) => path === root).length, 1);
      const may = (name: string, path: string): boolean => isAllowed(odd, { name, path });
      assert.deepEqual(
        [
          may("file-write-data", `${root}/src/x`),
          may("file-write-create", `${root}/.git/hooks/x`),
          may("file-write-create", `${root}/.VSCODE/tasks.json`),
          may("file-write-data", `${home}/.bashrc`),
        ],
        [true, false, false, false],
      );
    });
  }
});
