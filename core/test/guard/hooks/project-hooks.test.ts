import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

  it("run only while their content is the approved one, and with the project's folder", async () => {
    const hooks = { SessionStart: [{ hooks: [{ type: "command", command: 'sh "$CLAUDE_PROJECT_DIR/hook.sh"' }] }] };
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
    using watchdog = new Watchdog();
    const open = openingHooks({
      user: {},
      projectFiles: () => Promise.resolve(files),
      confined: undefined,
      watchdog,
      transcriptOf: () => Promise.resolve(undefined),
    });
    const session = await open({ cwd: project, runsOwn: false });
    assert.ok(session);
    assert.ok(session.has("SessionStart"));
    const run = async (): Promise<readonly string[]> => {
      const options = { call: undefined, signal: new AbortController().signal, onLate: () => undefined };
      return (await session.run("SessionStart", { session_id: "s", source: "startup" }, options)).context;
    };
    assert.deepEqual(await run(), [], "before the approval");
    const asked = (await files.inspect(project))?.asked;
    assert.ok(asked);
    assert.deepEqual(Object.keys(asked.content), ["file hook.sh", "hooks.SessionStart"]);
    await approvals.allow(asked);
    assert.deepEqual(await run(), ["Approved."]);
    await writeFile(join(project, "other.txt"), "2");
    assert.deepEqual(await run(), ["Approved."], "after another file has changed");
    await writeFile(join(project, "hook.sh"), "echo Changed by an agent.");
    assert.deepEqual(await run(), [], "after its script has changed");
  });
});
