import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parsedObject } from "../../../src/base/rpc/json.js";
import { Logger } from "../../../src/base/logger.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { openingHooks } from "../../../src/guard/hooks/node/session-hooks.js";
import { Approvals } from "../../../src/settings/project/approvals.js";
import { ProjectFiles } from "../../../src/settings/project/node/project-files.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { TrustFile } from "../../../src/settings/trust/node/trust-file.js";

describe("the hooks of a project", function () {
  this.timeout(60_000);
  let base = "";
  let project = "";
  beforeEach(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), "project-hooks-")));
    project = join(base, "project");
    await mkdir(join(project, ".symposium"), { recursive: true });
    await mkdir(join(project, ".git"));
    await writeFile(join(project, "hook.sh"), "echo Approved.");
    await writeFile(join(project, "other.txt"), "1");
  });
  afterEach(() => rm(base, { recursive: true }));

  /** Opens the hooks of a session in a folder. `run` raises SessionStart, and returns what the hook printed. */
  async function opened(hooks: object, cwd: string, watchdog: Watchdog) {
    await writeFile(join(project, ".symposium", "config.jsonc"), JSON.stringify({ hooks }));
    const store = new TrustFile(join(base, "config"));
    const approvals = new Approvals(store);
    const users = { home: base, config: join(base, "config") };
    const files = new ProjectFiles({
      users,
      trust: new FolderTrust(store),
      approvals,
      logger: new Logger(() => undefined),
    });
    const open = openingHooks({
      user: {},
      projectFiles: () => Promise.resolve(files),
      confined: undefined,
      watchdog,
      transcriptOf: () => Promise.resolve(undefined),
    });
    const session = await open({ cwd, runsOwn: false });
    assert.ok(session);
    assert.ok(session.has("SessionStart"));
    const run = async (): Promise<readonly string[]> => {
      const { signal } = new AbortController();
      const options = { call: undefined, signal, ended: signal, onLate: () => undefined };
      return (await session.run("SessionStart", { session_id: "s", source: "startup" }, options)).context;
    };
    const approve = async (): Promise<readonly string[]> => {
      const asked = (await files.inspect(cwd))?.asked;
      assert.ok(asked);
      await approvals.allow(asked);
      return Object.keys(asked.content);
    };
    return { run, approve };
  }
  const starting = (command: string): object => ({ SessionStart: [{ hooks: [{ type: "command", command }] }] });

  it("run only while their content is the approved one, and with the project's folder", async () => {
    using watchdog = new Watchdog();
    const { run, approve } = await opened(starting('sh "$CLAUDE_PROJECT_DIR/hook.sh"'), project, watchdog);
    assert.deepEqual(await run(), [], "before the approval");
    assert.deepEqual(await approve(), ["file hook.sh", "hooks.SessionStart"]);
    assert.deepEqual(await run(), ["Approved."]);
    await writeFile(join(project, "other.txt"), "2");
    assert.deepEqual(await run(), ["Approved."], "after another file has changed");
    await writeFile(join(project, "hook.sh"), "echo Changed by an agent.");
    assert.deepEqual(await run(), [], "after its script has changed");
  });

  it("run the approved files even if the session's folder contains others with the same names", async () => {
    const cwd = join(project, "part");
    await mkdir(cwd);
    await writeFile(join(cwd, "hook.sh"), "echo Not approved.");
    await writeFile(join(project, "hook.sh"), 'echo "Approved, in $PWD:"; cat');
    using watchdog = new Watchdog();
    const { run, approve } = await opened(starting("sh hook.sh"), cwd, watchdog);
    assert.deepEqual(await approve(), ["file hook.sh", "hooks.SessionStart"]);
    const [place, input] = (await run())[0]?.split("\n") ?? [];
    assert.equal(place, `Approved, in ${project}:`);
    assert.equal(parsedObject(input ?? "")?.["cwd"], cwd);
  });
});
