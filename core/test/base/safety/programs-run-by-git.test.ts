import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namedInCommand } from "../../../src/base/safety/named-programs.js";
import { effectOfCommand } from "./effect-of-command.js";

describe("a program that git is told to run", () => {
  /** Returns the guard's effect on a command if `curl` and `git stash push` are denied. */
  const effectOf = (command: string, env?: Readonly<Record<string, string>>): Promise<string> =>
    effectOfCommand(["curl", "git stash push"], command, env);

  for (const text of [
    "git -c core.pager='curl x' log",
    "git -c Core.SshCommand='x | curl' fetch",
    "git -c core.fsmonitor=/usr/bin/curl status",
    "git -c diff.external=curl diff",
    "git -c diff.a.b.textconv=curl diff",
    "git -c credential.helper='!curl x' fetch",
    "git -c core.askPass=/opt/x/curl fetch",
    "sudo git -c core.editor=curl commit",
    "bash -c 'git -c pager.log=curl log'",
    "GIT_SSH_COMMAND='curl x' git fetch",
    'GIT_PAGER="less | curl" git log',
    "export GIT_EXTERNAL_DIFF=curl; git diff",
    "env GIT_SSH=/usr/bin/curl git fetch",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0='curl x' git log",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x GIT_PAGER=curl git log",
    "git config core.pager 'curl x'",
    "git config set --global credential.helper '!f() { curl x; }; f'",
    "git clone --config core.fsmonitor=curl url",
    "git ls-remote --upload-pack='curl x' url",
    "git push --receive-pack curl url",
    "git -c alias.l='-c core.pager=curl log' l",
    "git config alias.s stash",
    "git config alias.s 'stash push -m'",
  ]) {
    it(`is one that rules see: ${JSON.stringify(text)} is denied`, async () => {
      assert.equal(await effectOf(text), "deny");
    });
  }

  for (const text of [
    "git -c core.pager='$X y' log",
    "git -c core.sshCommand='x | sh' fetch",
    "git -c core.hooksPath=x commit",
    "git --config-env=core.pager=X log",
    "git config core.hooksPath x",
    "git config include.path x",
    "GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=x git log",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=$X GIT_CONFIG_VALUE_0=x git log",
    "env GIT_TEMPLATE_DIR=x git clone url",
  ]) {
    it(`is asked about where it cannot be told: ${JSON.stringify(text)}`, async () => {
      assert.equal(await effectOf(text), "ask");
    });
  }

  for (const text of [
    "git -c core.pager=cat -c core.fsmonitor=false -c core.editor=: -c pager.log= log",
    "git -c core.sshCommand='ssh -i key -o BatchMode=yes' fetch",
    "git -c credential.helper= -c credential.helper=store fetch",
    "git -c core.hooksPath=/dev/null commit",
    "git -c submodule.x.update=rebase submodule update",
    "git config core.pager 'less -R'",
    "git config --get core.pager",
    "env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=/x git status",
    "env GIT_PAGER=cat PAGER= git log",
    "git config alias.s 'status'",
  ]) {
    it(`changes nothing where it is harmless: ${JSON.stringify(text)}`, async () => {
      assert.equal(await effectOf(text), "nobody says");
    });
  }

  it("is one that rules see, too, where the agent sets the variable beside the command", async () => {
    assert.deepEqual(
      [
        await effectOf("git fetch", { GIT_SSH_COMMAND: "curl x" }),
        await effectOf("git fetch", { GIT_SSH_COMMAND: "$X" }),
        await effectOf("git fetch", { GIT_SSH_COMMAND: "ssh -4" }),
      ],
      ["deny", "ask", "nobody says"],
    );
  });

  for (const [text, isRead] of [
    ["GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*' git status", true],
    [`GIT_CONFIG_COUNT="1" GIT_CONFIG_KEY_0='user.name' GIT_CONFIG_VALUE_0="$NAME" git commit`, true],
    ["GIT_SSH_COMMAND='ssh -i ~/.ssh/key' git fetch", true],
    ["git config alias.co checkout", true],
    ["GIT_CONFIG_KEY_0+=x git status", false],
    ["PAGER+=x git log", false],
    ["GIT_CONFIG_COUNT=$N git status", false],
    ["git config alias.co '!x'", false],
  ] as const) {
    it(`is ${isRead ? "known" : "not known"} by ${JSON.stringify(text)}`, () => {
      assert.equal(namedInCommand(text).unread === undefined, isRead);
    });
  }

  describe("and that git does run", () => {
    let folder = "";
    before(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), "git-programs-")));
      mkdirSync(join(folder, "bin"));
      writeFileSync(join(folder, "bin/recorder"), '#!/bin/sh\necho >> "$RECORD"\nexit 1\n');
      chmodSync(join(folder, "bin/recorder"), 0o755);
      shell("git init -q . && echo a > a && git add a && git commit -qm first && echo b > a");
    });
    after(() => rmSync(folder, { recursive: true }));

    function shell(text: string): boolean {
      const record = join(folder, "record");
      rmSync(record, { force: true });
      const names = {
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b",
      };
      spawnSync("sh", ["-c", text], {
        cwd: folder,
        input: "protocol=https\nhost=example.com\n\n",
        stdio: ["pipe", "ignore", "ignore"],
        timeout: 20_000,
        env: { ...names, PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`, HOME: folder, RECORD: record },
      });
      return existsSync(record);
    }

    for (const text of [
      "git -c core.fsmonitor=recorder status",
      "git -c diff.external=recorder diff",
      "GIT_EXTERNAL_DIFF=recorder git diff",
      "git -c core.sshCommand=recorder ls-remote ssh://h.invalid/x",
      "GIT_SSH_COMMAND='recorder x' git ls-remote ssh://h.invalid/x",
      "GIT_SSH=recorder git ls-remote ssh://h.invalid/x",
      "git -c core.editor=recorder config --edit",
      "GIT_EDITOR=recorder git config --edit",
      "EDITOR=recorder git config --edit",
      "git -c sequence.editor=recorder rebase -i --autostash --root",
      "git -c credential.helper='!recorder x' -c core.askPass=true credential fill",
      "git -c credential.https://example.com.helper='!recorder x' -c core.askPass=true credential fill",
      "git -c core.askPass=recorder credential fill",
      "SSH_ASKPASS=recorder git credential fill",
      "git -c gpg.program=recorder commit --allow-empty -S -m x",
      "git -c trailer.x.command=recorder interpret-trailers",
      "git -c tar.x.command=recorder archive --format=x HEAD",
      "git -c remote.x.url=. -c remote.x.uploadpack=recorder ls-remote x",
      "git ls-remote --upload-pack=recorder .",
      "git archive --remote=. --exec recorder HEAD",
      "git difftool -y --extcmd recorder",
      "git clone -c core.sshCommand=recorder ssh://h.invalid/x cloned",
      "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=recorder git status",
      "git -c alias.x='-c core.fsmonitor=recorder status' x",
    ]) {
      it(`is seen in ${JSON.stringify(text)}`, () => {
        const isSeen = namedInCommand(text).programs.some(([program]) => program === "recorder");
        assert.deepEqual({ ran: shell(text), isSeen }, { ran: true, isSeen: true });
      });
    }
  });
});
