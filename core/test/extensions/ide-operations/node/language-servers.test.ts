import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Logger } from "../../../../src/base/logger.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { openLanguageServers } from "../../../../src/extensions/ide-operations/node/language-servers.js";
import { trusting } from "../../../../testing/scripted-client.js";

describe("the files of a language-server adapter in a sandbox", () => {
  const before = process.env["SYMPOSIUM_CONFIG_DIR"];
  let base = "";
  beforeEach(() => (base = realpathSync(mkdtempSync(join(tmpdir(), "adapter-files-")))));
  afterEach(() => {
    if (before === undefined) delete process.env["SYMPOSIUM_CONFIG_DIR"];
    else process.env["SYMPOSIUM_CONFIG_DIR"] = before;
    rmSync(base, { recursive: true });
  });

  async function filesFor(folder: string, config: string): Promise<string> {
    process.env["SYMPOSIUM_CONFIG_DIR"] = config;
    using watchdog = new Watchdog();
    let files = "";
    const confinement = {
      watchdog,
      confine: (_folder: string, given: string) => {
        files = given;
        return { confine: () => ({ startError: "nothing starts here" }) };
      },
    };
    const open = openLanguageServers(undefined, Logger.silent, trusting(), confinement);
    await using _servers = await open(folder);
    return files;
  }

  it("are beside the configuration, in a folder of their own for each project", async () => {
    const config = join(base, "config");
    const [one, other] = [await filesFor("/project/one", config), await filesFor("/project/other", config)];
    assert.deepEqual([dirname(one), dirname(other), one === other], [join(config, "lsp"), join(config, "lsp"), false]);
  });

  it("have a short path where the configuration's is too long for a socket, in a folder of the user's alone", async function () {
    if (process.platform === "win32") this.skip();
    const config = join(base, "x".repeat(100));
    const [one, other] = [await filesFor("/project/one", config), await filesFor("/project/other", config)];
    assert.ok(Buffer.byteLength(join(one, "adapters", `${"0".repeat(24)}.sock`)) <= 100, one);
    assert.notEqual(one, other);
    const { mode, uid } = statSync(dirname(dirname(one)));
    assert.deepEqual([mode & 0o077, uid], [0, process.getuid?.()]);
  });
});
