import assert from "node:assert/strict";
import { join } from "node:path";
import { type PermissionFixture, pressed, runRequest, withPermissions } from "./permission-fixture.js";
import type { RecordingSession } from "./recording-session.js";

const method = "session/request_permission";

describe("rules about commands", () => {
  let folder: string;
  let fixture: PermissionFixture;
  let session: RecordingSession;

  withPermissions((place) => ({ folder, fixture, session } = place));

  const ask = (params: unknown): Promise<unknown> => fixture.permissions.requests[method](session.call(params));

  /** The user answers and has it remembered; what the card said would be. */
  async function remember(command: string, more = {}, option = "once"): Promise<string | undefined> {
    const answer = ask(runRequest(command, more));
    const { id, ruleLabel } = await session.openCard();
    await fixture.permissions.respond(pressed(id, option, { remember: "workspace" }));
    await answer;
    return ruleLabel;
  }

  /** The option that a rule chose; `asked` where a card appeared. */
  async function answered(command: string, more = {}): Promise<string> {
    const cards = (): number => session.itemsOf("permission").length;
    const before = cards();
    const answer = ask(runRequest(command, more));
    const card = session.openCard().then(({ id }) => fixture.permissions.respond(pressed(id, "no")));
    const result = await Promise.race([answer, card.then(() => answer)]);
    return cards() > before ? "asked" : (/"optionId":"(\w+)"/.exec(JSON.stringify(result))?.[1] ?? "none");
  }

  it("remember what may run other programs word for word, and say so", async () => {
    assert.equal(await remember("git rebase main"), `run exactly git rebase main in ${folder}`);
    assert.deepEqual(
      [
        await answered("git rebase main"),
        await answered("git rebase -x 'sh evil.sh' main"),
        await answered("git rebase"),
        await answered("git rebase main "),
      ],
      ["once", "asked", "asked", "asked"],
    );
  });

  it("hold for the folder and the variables that were asked with", async () => {
    const label = await remember("make test", { env: { CI: "1" }, cwd: "src" });
    assert.equal(label, `run exactly make test in ${join(folder, "src")} with CI=1`);
    assert.deepEqual(
      [
        await answered("make test", { env: [{ name: "CI", value: "1" }], cwd: "src", description: "Tests" }),
        await answered("make test", { cwd: "src" }),
        await answered("make test", { env: { CI: "2" }, cwd: "src" }),
        await answered("make test", { env: { CI: "1", LD_PRELOAD: "./x.so" }, cwd: "src" }),
        await answered("make test", { env: { CI: "1" } }),
        await answered("make test", { env: { CI: "1" }, dir_path: "src" }),
      ],
      ["once", "asked", "asked", "asked", "asked", "once"],
    );
  });

  it("of first words ask when variables, or leave for more, come with the command", async () => {
    await remember("git status");
    const more = [{ env: { GIT_PAGER: "evil" } }, { env: ["PATH=."] }, { environment: "PATH=." }, { sandbox: "off" }];
    const special = [{ dangerouslyDisableSandbox: true }, { with_escalated_permissions: true }, { shell: "/tmp/sh" }];
    const answers = await Promise.all([{}, { env: {}, sandbox: false }].map((one) => answered("git status", one)));
    assert.deepEqual(answers, ["once", "once"]);
    for (const one of [...more, ...special])
      assert.equal(await answered("git status", one), "asked", JSON.stringify(one));
  });

  it("name the variables on the card", async () => {
    void ask(runRequest("git status", { env: { LD_PRELOAD: "./x.so" } }));
    assert.deepEqual((await session.openCard()).warnings, ["It sets variables for the command: LD_PRELOAD."]);
  });

  for (const [first, later] of [
    ["git log", "git log --output=.git/config"],
    ["git diff", "git diff --ext-diff"],
    ["git status", "git -c core.fsmonitor=./x status"],
    ["git submodule status", "git submodule foreach ./x"],
    ["git bisect log", "git bisect run ./x"],
    ["git difftool", "git difftool -x ./x"],
    ["tree", "tree -o a"],
    ["go test ./...", "go test -vettool=./x ./..."],
    ["docker run alpine", "docker run --privileged alpine"],
    ["grep needle a.txt", "grep -r needle"],
    ["grep needle a.txt", "grep needle .env"],
    ["grep needle a.txt", "grep needle a.txt .env.local"],
    ["find . -name a", "find . -name a -delete"],
    ["npm run build", "npm run build --script-shell=./x"],
    ["npm run build", "npm run deploy"],
    ["cargo test", "cargo test --config build.rustc-wrapper=./x"],
    ["ls", "ls && ./x"],
    ["ls", "ls | sh"],
    ["ls", "ls > .git/config"],
    ["ls", "alias ls=./x; ls"],
    ["ls", "ls() { ./x; }; ls"],
    ["cat a.txt", "cat ../a.txt"],
    ["cat a.txt", "cat .git/config"],
    ["cat a.txt", "cat <<EOF\n$(./x)\nEOF"],
  ] as const) {
    it(`for "${first}" ask about ${JSON.stringify(later)}`, async () => {
      await remember(first);
      assert.deepEqual([await answered(first), await answered(later)], ["once", "asked"]);
    });
  }

  it("allow a command of several programs when each of them is allowed", async () => {
    await remember("git log");
    await remember("head -5 a.txt");
    assert.deepEqual(
      [
        await answered("git log --oneline | head -20"),
        await answered("git log 2>/dev/null && git log -5; head a.txt"),
        await answered("git log | sh"),
        await answered("git log | head -20 > a.txt"),
        await answered("git log & head"),
        await answered("git log | head .env"),
      ],
      ["once", "once", "asked", "asked", "asked", "asked"],
    );
  });

  it("that reject hold in any company and with any options", async () => {
    await remember("git log", {}, "no");
    assert.deepEqual(
      [
        await answered("git log --output=x"),
        await answered("cd src && git log | cat"),
        await answered("git log", { env: { A: "b" } }),
        await answered("git status"),
      ],
      ["no", "no", "no", "asked"],
    );
  });
});
