import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commonRules } from "../../src/guard/common-rules.js";
import type { GuardRule, RuleSubject } from "../../src/guard/guard-rule.js";
import { hostsIn } from "../../src/guard/node/network/user-registries.js";
import { readTarget, targetText } from "../../src/guard/network/target.js";
import { GuardFiles } from "../../src/guard/node/guard-rule-files.js";
import { saveRule } from "../../src/guard/node/guard-edit.js";
import { saveHostRule } from "../../src/guard/node/network/sandbox-hosts.js";

const target = (host: string): NonNullable<ReturnType<typeof readTarget>> => readTarget(host, 443) ?? assert.fail(host);

describe("an answer about a host that lasts", () => {
  let config = "";
  beforeEach(async () => (config = await realpath(await mkdtemp(join(tmpdir(), "saved-")))));
  afterEach(() => rm(config, { recursive: true }));
  const file = (): string => join(config, "guard.jsonc");
  const rulesIn = async (cwd: string): Promise<readonly string[]> => {
    const { rules, problems } = await new GuardFiles(config, "/home/nobody").rulesFor(cwd);
    return [...rules.map(({ effect, patterns }) => `${effect} ${patterns.join()}`), ...problems];
  };

  it("is a rule of the user's file, which keeps its comments and rules", async () => {
    await writeFile(
      file(),
      '{\n  // Mine.\n  "rules": [\n    { "effect": "deny", "host": "evil.test" }, // No.\n  ],\n}\n',
    );
    await saveHostRule([target("api.example")], { config, within: undefined });
    assert.equal(
      await readFile(file(), "utf8"),
      '{\n  // Mine.\n  "rules": [\n    { "effect": "deny", "host": "evil.test" }, // No.\n    { "effect": "allow", "host": "api.example:443" },\n  ],\n}\n',
    );
    assert.deepEqual(await rulesIn(config), ["deny evil.test", "allow api.example:443"]);
  });

  it("makes the file, and lets answers of several sessions stand", async () => {
    const hosts = ["a.example", "b.example", "c.example"];
    await Promise.all(hosts.map((host) => saveHostRule([target(host)], { config, within: undefined })));
    assert.deepEqual(
      [...(await rulesIn(config))].sort(),
      hosts.map((host) => `allow ${host}:443`),
    );
  });

  it("holds in the workspace where it was given, and nowhere else", async () => {
    const [here, other] = [join(config, "here"), join(config, "here-not")];
    for (const folder of [join(here, "deep"), other]) await mkdir(folder, { recursive: true });
    await saveHostRule([target("api.example"), target("cdn.example")], { config, within: here });
    assert.deepEqual(await rulesIn(here), ["allow api.example:443,cdn.example:443"]);
    assert.deepEqual(await rulesIn(join(here, "deep")), ["allow api.example:443,cdn.example:443"]);
    assert.deepEqual(await rulesIn(other), []);
  });

  it("does not touch a file that cannot be read", async () => {
    await writeFile(file(), '{ "rules": [');
    await assert.rejects(saveHostRule([target("api.example")], { config, within: undefined }), /guard\.jsonc:1:\d+: /);
    assert.equal(await readFile(file(), "utf8"), '{ "rules": [');
    await writeFile(file(), '{ "rules": [{ "effect": "allow", "host": "api.example", "in": "relative" }] }');
    assert.match((await rulesIn(config)).join(), /"in" is "relative"\. It must be a folder/);
  });
});

describe("a rule that is added", () => {
  let config = "";
  beforeEach(async () => (config = await realpath(await mkdtemp(join(tmpdir(), "added-")))));
  afterEach(() => rm(config, { recursive: true }));
  const add = (subject: RuleSubject, pattern: string): Promise<void> =>
    saveRule(config, { effect: "allow", subject, patterns: [pattern] });

  for (const broken of [false, true]) {
    it(`is refused by its own fault, with the remedy, where the file is ${broken ? "broken, too" : "not there"}`, async () => {
      const file = join(config, "guard.jsonc");
      if (broken) await writeFile(file, "{\n  oops\n");
      const wanted = {
        code: "invalid-config",
        message: 'The host "http://me@Docs.example.com/x" is a full address: write only its host, "docs.example.com".',
      };
      await assert.rejects(add("host", "http://me@Docs.example.com/x"), wanted);
      await assert.rejects(
        add("host", "https://a b/"),
        /^SymposiumError: The host "https:\/\/a b\/" isn't valid: write/,
      );
      if (broken) assert.equal(await readFile(file, "utf8"), "{\n  oops\n");
      else assert.equal(existsSync(file), false);
    });
  }

  it("is not written into a broken file, which is named with the line", async () => {
    const file = join(config, "guard.jsonc");
    await writeFile(file, "{\n  oops\n");
    await assert.rejects(add("command", "git diff"), (error: Error) => error.message.startsWith(`${file}:2:3: `));
  });
});

describe("rules of several folders at once", () => {
  it("refuse and ask what one of them does, and allow what each of them does", () => {
    const rule = (effect: "allow" | "deny" | "ask", host: string): GuardRule => ({
      effect,
      subject: "host",
      patterns: [host],
      // Several rules can have the same place.
      place: "guard.jsonc:1",
    });
    const one = { rules: [rule("allow", "both.example"), rule("allow", "one.example")], isBroken: false };
    const other = { rules: [rule("deny", "evil.test"), rule("allow", "both.example")], isBroken: true };
    const named = ({ rules }: typeof one): readonly string[] =>
      rules.map((each) => `${each.effect} ${each.patterns.join()}`);
    const common = commonRules([one, other]);
    assert.deepEqual(named({ ...common, rules: [...common.rules] }), ["allow both.example", "deny evil.test"]);
    assert.equal(common.isBroken, true);
    assert.deepEqual(commonRules([one]), one);
  });
});

describe("what package managers say of their registries", () => {
  it("names their hosts once, without users, keys and addresses of machines", () => {
    const said = `registry=https://registry.example/npm/ index = "sparse+https://index.example:8443/" https://user:key@Private.Example./simple
      'http://plain.example/simple,direct' http://127.0.0.1:4873/ https://registry.example/again file:///home/x https://`;
    assert.deepEqual(hostsIn(said).map(targetText), [
      "registry.example:443",
      "index.example:8443",
      "private.example:443",
      "plain.example:80",
    ]);
  });
});
