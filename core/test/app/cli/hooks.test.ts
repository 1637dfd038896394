import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "./run-command.js";

describe("hooks import", function () {
  this.timeout(120_000);
  let home = "";
  beforeEach(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), "hooks-import-")));
    await mkdir(join(home, ".claude"));
    await mkdir(join(home, ".symposium"));
  });
  afterEach(() => rm(home, { recursive: true }));

  const run = async (...words: readonly string[]): Promise<string> => {
    const env = { PATH: process.env["PATH"], HOME: home, USERPROFILE: home };
    const { code, stdout, stderr } = await runCommand({ name: "hooks", words: ["import", ...words], cwd: home, env });
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const config = join(".symposium", "config.jsonc");

  it("lists Claude Code's hooks, writes them once where that is asked for, and names what can't run", async () => {
    const bash = { matcher: "Bash", hooks: [{ type: "command", command: "./check.sh", timeout: 5 }] };
    const web = { hooks: [{ type: "http", url: "https://example.com" }] };
    const hooks = { PreToolUse: [bash], Stop: [web], PreCompact: [bash] };
    await writeFile(join(home, ".claude", "settings.json"), JSON.stringify({ hooks }));
    await writeFile(join(home, config), '{\n  // Mine.\n  "agent": "eliza"\n}\n');
    const listed = await run();
    assert.match(listed, /^1 hook to import.*\n {2}PreToolUse \(Bash\): \.\/check\.sh/);
    assert.match(listed, /Not imported: "hooks\.PreCompact" is unknown/);
    assert.match(listed, /Not imported: "hooks\.Stop\[0\]\.hooks\[0\]" has the type "http"/);
    assert.doesNotMatch(await readFile(join(home, config), "utf8"), /hooks/);
    await run("--all");
    const written = await readFile(join(home, config), "utf8");
    assert.match(written, /\/\/ Mine\./);
    assert.deepEqual(JSON.parse(written.replace("// Mine.", "")), {
      agent: "eliza",
      hooks: { PreToolUse: [{ ...bash, importedFrom: "claude-code" }] },
    });
    assert.match(await run("--all"), /^No hooks to import/);
  });

  it("finds none where Claude Code has none", async () => {
    assert.match(await run(), /^No hooks to import/);
  });
});
