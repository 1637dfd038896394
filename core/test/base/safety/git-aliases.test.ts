import assert from "node:assert/strict";
import { namedInCommand } from "../../../src/base/safety/named-programs.js";
import { effectOfCommand } from "./effect-of-command.js";

describe("an alias that stands in a command of git", () => {
  /** Returns the effect on a command if `git push` and `curl` are denied. */
  const effectOf = (command: string): Promise<string> => effectOfCommand(["git push", "curl"], command);

  for (const text of [
    "git -c alias.p=push p",
    "git -C sub -c user.name=x -c ALIAS.P='push --force' P origin",
    "sudo git -c alias.p=push p",
    "git -c alias.p='!git push' p",
    "git -c alias.p='!f() { curl x; }; f' p",
    "git -c alias.p='-c alias.q=push q' p",
    "git -c alias.p=q -c alias.q=push p",
    "git -c alias.p.command=push p",
    "bash -c 'git -c alias.p=push p'",
    "watch 'git -c alias.p=push p'",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p",
    "git config --global alias.p push",
    "git config alias.p '-c alias.q=push q'",
    "git clone -c alias.p=push url",
  ]) {
    it(`is what it stands for: ${JSON.stringify(text)} is denied`, async () => {
      assert.equal(await effectOf(text), "deny");
    });
  }

  for (const text of [
    "git -c alias.p='!$(echo curl)' p",
    'git -c "alias.p=$X" p',
    "git -c include.path=x p",
    "git -c includeIf.gitdir:/.path=x p",
    "git --exec-path=/tmp/x p",
    "git --config-env=alias.p=X p",
    "git --config-env alias.p=X p",
    "env GIT_CONFIG_PARAMETERS=\"'alias.p=push'\" git p",
    "export GIT_CONFIG_GLOBAL=x; git p",
    "git config alias.p '!git status'",
    "git config alias.p 'pu\"sh\"'",
    "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p git p",
    "git -c alias.p='-c alias.q=push\\ origin q' p",
    "git -c alias.p='-c \"alias.q=push origin\" q' p",
  ]) {
    it(`is asked about where that cannot be told: ${JSON.stringify(text)}`, async () => {
      assert.equal(await effectOf(text), "ask");
    });
  }

  for (const text of [
    "git -c alias.p=pull p",
    "git -c color.ui=never -C sub log",
    "git config --get alias.p",
    "git config --global alias.st 'status --short'",
    "git --exec-path",
    "env GIT_CONFIG_GLOBAL=/dev/null git status",
  ]) {
    it(`changes nothing where it is harmless: ${JSON.stringify(text)}`, async () => {
      assert.equal(await effectOf(text), "nobody says");
    });
  }

  for (const [text, isRead] of [
    [`GIT_CONFIG_PARAMETERS="'alias.p=push'" git p`, false],
    [`GIT_CONFIG_PARAMETERS+="'alias.p=push'" git p`, false],
    [`export GIT_CONFIG_GLOBAL+=x`, false],
    [`GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM="/dev/null" git status`, true],
    [`export GIT_CONFIG_GLOBAL='/dev/null'; git status`, true],
    [`GIT_PAGER=cat GIT_TERMINAL_PROMPT=0 GIT_EDITOR="true" git log`, true],
  ] as const) {
    it(`is ${isRead ? "none" : "one that cannot be told"} in variables of git: ${JSON.stringify(text)}`, () => {
      assert.equal(namedInCommand(text).unread === undefined, isRead);
    });
  }
});
