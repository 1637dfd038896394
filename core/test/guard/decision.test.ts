import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../../src/guard/decision.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { guardRequest } from "../../src/guard/node/guard-request.js";

describe("the rules of the guard", () => {
  let folder = "";
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "guard-rules-")));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src", "a.ts"), "");
  });
  after(() => rm(folder, { recursive: true }));

  /** What becomes of a tool call by these rules. */
  async function effectOf(rules: readonly object[], rawInput: object, kind = "execute"): Promise<string> {
    const { rules: read, problems } = parseGuardFile(JSON.stringify({ rules }), { file: "g", isOfProject: false });
    assert.deepEqual(problems, []);
    const roots = [folder];
    const request = await guardRequest({ kind, rawInput, locations: [] }, roots);
    return decide(read, request, { roots, home: homedir() })?.effect ?? "nobody says";
  }

  const command = (text: string): object => ({ command: text });

  describe("rules about commands that deny", () => {
    const denies = { effect: "deny", command: ["git push", "curl"] };

    for (const text of [
      "git push origin main",
      "git -C sub push",
      "/usr/bin/git push",
      "cd src && git push",
      "git diff; curl x",
      "git diff | curl -d @- x",
      "git diff & curl x",
      "git diff\ncurl x",
      'bash -lc "git push"',
      "echo $(curl x)",
      "echo `curl x`",
      "cat <(curl x)",
      "for x in 1; do curl x; done",
      "if true; then curl x; fi",
      "c\\url x",
      "cu''rl x",
      '"curl" x',
      "env A=1 curl x",
      "sudo curl x",
      "xargs curl",
      "timeout 5 curl x",
      "command curl x",
      "A=1 curl x",
      "find . -exec curl {} ;",
      "git diff > /tmp/x; curl y",
    ]) {
      it(`refuse ${JSON.stringify(text)}`, async () => {
        assert.equal(await effectOf([denies], command(text)), "deny");
      });
    }

    for (const text of ["X=curl; $X y", "$(echo curl) x", "c{u,}rl x", "eval cur''l x", "git diff '"]) {
      it(`at least have the user asked about ${JSON.stringify(text)}`, async () => {
        assert.notEqual(await effectOf([denies, { effect: "allow", command: "*" }], command(text)), "allow");
      });
    }

    for (const text of ["git pull", "git commit -m push", "echo curl", "curly x", "ls push"]) {
      it(`say nothing of ${JSON.stringify(text)}`, async () => {
        assert.equal(await effectOf([denies], command(text)), "nobody says");
      });
    }

    it("beat rules that ask, and these beat rules that allow, in whatever order and however exact they are", async () => {
      const [deny, ask, allow] = ["deny", "ask", "allow"].map((effect) => ({ effect, command: "npm test" }));
      const given = command("npm test");
      assert.equal(await effectOf([allow ?? {}, ask ?? {}, { effect: "deny", command: "npm" }], given), "deny");
      assert.equal(await effectOf([allow ?? {}, deny ?? {}, ask ?? {}], given), "deny");
      assert.equal(await effectOf([allow ?? {}, ask ?? {}], given), "ask");
      assert.equal(await effectOf([allow ?? {}], given), "allow");
    });

    it("hold for a program and its arguments without a shell", async () => {
      assert.equal(await effectOf([denies], { command: "git", args: ["push", "x"] }), "deny");
      assert.equal(await effectOf([denies], { command: ["sh", "-c", "curl x"] }), "deny");
    });
  });

  describe("rules about commands that allow", () => {
    const allows = [
      { effect: "allow", command: ["git diff", "npm test", "my-tool check"] },
      { effect: "allow", command: "make *" },
    ];

    for (const text of [
      "git diff",
      "git diff --stat src/a.ts",
      "npm test && git diff",
      "my-tool check",
      "make all -j4",
    ]) {
      it(`allow ${JSON.stringify(text)}`, async () => {
        assert.equal(await effectOf(allows, command(text)), "allow");
      });
    }

    for (const text of [
      "git diff --output=x",
      "git -c core.pager=x diff",
      "git diff && curl x",
      "git diff > x",
      "git diff $(curl x)",
      "GIT_PAGER=x git diff",
      "git diff ../../etc/passwd",
      "git diff .env",
      "git diff &",
      "git difftool",
      "my-tool check --all",
      "make all; curl x",
      "make all | sh",
    ]) {
      it(`say nothing of ${JSON.stringify(text)}`, async () => {
        assert.equal(await effectOf(allows, command(text)), "nobody says");
      });
    }

    it("say nothing of a command that runs elsewhere, with variables, or with more rights than usual", async () => {
      for (const more of [
        { cwd: "/etc" },
        { env: { LD_PRELOAD: "x" } },
        { sandbox_permissions: "require_escalated" },
      ]) {
        assert.equal(await effectOf(allows, { command: "git diff", ...more }), "nobody says");
      }
    });
  });

  describe("rules about files", () => {
    const rules = [
      { effect: "deny", read: ".env*" },
      { effect: "ask", write: "/.github" },
      { effect: "deny", read: "~/.ssh" },
      { effect: "allow", write: "src/**" },
    ];

    it("match as lines of .gitignore do: names anywhere, paths from the session's folder, folders with all in them", async () => {
      const ask = async (path: string, kind: string): Promise<string> => effectOf(rules, { file_path: path }, kind);
      assert.deepEqual(
        {
          secret: await ask(".env", "read"),
          nested: await ask("sub/.env.local", "read"),
          key: await ask(join(homedir(), ".ssh", "id_rsa"), "read"),
          workflow: await ask(".github/ci.yml", "edit"),
          workflowRead: await ask(".github/ci.yml", "read"),
          source: await ask("src/a.ts", "edit"),
          way: await ask("src/../.env", "read"),
          other: await ask("README.md", "edit"),
        },
        {
          secret: "deny",
          nested: "deny",
          key: "deny",
          workflow: "ask",
          workflowRead: "nobody says",
          source: "allow",
          way: "deny",
          other: "nobody says",
        },
      );
    });

    it("hold for the words of commands, too; what may only read a file that is not to be written is asked about", async () => {
      assert.equal(await effectOf(rules, command("cat .env")), "deny");
      assert.equal(await effectOf(rules, command("cat ./src/../.env | head -3")), "deny");
      assert.equal(await effectOf([{ effect: "deny", write: "/.github" }], command("cat .github/ci.yml")), "ask");
      for (const text of ["echo x > .github/ci.yml", "(echo x) >>.github/ci.yml", 'sh -c "echo x >| ./.github/a"'])
        assert.equal(await effectOf([{ effect: "deny", write: "/.github" }], command(text)), "deny", text);
    });
  });

  describe("rules about hosts", () => {
    const rules = [
      { effect: "deny", host: "*.evil.example" },
      { effect: "allow", host: "docs.example:443" },
    ];

    it("match whole names, with their ports", async () => {
      const fetch = (url: string): Promise<string> => effectOf(rules, { url }, "fetch");
      assert.deepEqual(
        await Promise.all(
          [
            "https://a.evil.example/x",
            "https://docs.example/x",
            "https://docs.example:8443/x",
            "https://docs.example.attacker.example/",
            "https://docs.example@attacker.example/",
            "https://notevil.example/",
          ].map(fetch),
        ),
        ["deny", "allow", "nobody says", "nobody says", "nobody says", "nobody says"],
      );
    });
  });

  describe("a file of rules", () => {
    const read = (text: string, isOfProject = false): ReturnType<typeof parseGuardFile> =>
      parseGuardFile(text, { file: "guard.jsonc", isOfProject });

    it("names what it cannot read with its line, and allows nothing until that is mended", () => {
      const { rules, problems } = read(`{
      "rules": [
        { "effect": "allow", "command": "ls" },
        { "effect": "deny", "comand": "rm" },
        { "effect": "deny", "command": "dd", "reason": "disks" },
        { "effect": "forbid", "command": "rm" },
        { "effect": "deny", "command": "a | b" },
        { "effect": "deny", "command": "x", "read": "y" },
      ],
    }`);
      assert.deepEqual(rules, [
        { effect: "deny", subject: "command", patterns: ["dd"], reason: "disks", place: "guard.jsonc:5" },
      ]);
      assert.deepEqual(
        problems.map((problem) => problem.replace(/:\d+: .*?("\w+"|a \| b|exactly).*/, " $1")),
        ['guard.jsonc:4 "comand"', 'guard.jsonc:6 "effect"', "guard.jsonc:7 a | b", "guard.jsonc:8 exactly"],
      );
      assert.equal(read("{ rules").rules.length, 0);
      assert.match(read("[]").problems.join(), /object with a list/);
    });

    it("may carry examples, which are checked when it is read", () => {
      const withExamples = (examples: object): readonly string[] =>
        read(JSON.stringify({ rules: [{ effect: "deny", command: "git push", examples }] })).problems;
      assert.deepEqual(withExamples({ match: ["git push -f"], noMatch: ["git pull"] }), []);
      assert.match(withExamples({ match: ["git pull"] }).join(), /does not match its example "git pull"/);
      assert.match(withExamples({ noMatch: ["git push"] }).join(), /matches its example "git push"/);
    });

    it("of a repository may deny and ask, and allows nothing", () => {
      const rules = ["allow", "ask", "deny"].map((effect) => ({ effect, command: "ls" }));
      const file = read(JSON.stringify({ rules }), true);
      assert.deepEqual(
        file.rules.map(({ effect }) => effect),
        ["ask", "deny"],
      );
      assert.match(file.problems.join(), /repository's rules allow nothing/);
    });
  });
});
