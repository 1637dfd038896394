import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whyNoBubblewrap } from "../../scripts/test/bubblewrap.mjs";

describe("what the tests of the sandbox need", function () {
  this.timeout(60_000);
  let folder;
  beforeEach(async function () {
    if (process.platform === "win32") {
      this.currentTest.title += " (the stand-ins are shell scripts)";
      this.skip();
    }
    folder = await mkdtemp(join(tmpdir(), "bubblewrap-"));
  });
  afterEach(() => folder && rm(folder, { recursive: true, force: true }));

  async function program(name, text) {
    const path = join(folder, name);
    await writeFile(path, `#!/bin/sh\n${text}\n`);
    await chmod(path, 0o755);
  }

  function look(given = {}) {
    const said = [];
    const options = { env: { PATH: folder, AT: folder }, platform: "linux", isRoot: true, isDebian: true, ...given };
    return { why: whyNoBubblewrap({ ...options, say: (text) => said.push(text) }), said };
  }

  it("is there where bubblewrap starts", async () => {
    await program("bwrap", "exit 0");
    assert.deepEqual(look({ isRoot: false }), { why: undefined, said: [] });
  });

  it("is named with what bubblewrap said where it does not start", async () => {
    await program("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1");
    const why = "bubblewrap starts no sandbox here: bwrap: No permissions to create new namespace";
    assert.deepEqual(look(), { why, said: [] });
  });

  it("is installed by apt for root on Debian, which is said, with new lists where the old ones are of no use", async () => {
    const made = `{ echo '#!/bin/sh'; echo exit 0; } > "$AT/bwrap"; /bin/chmod 755 "$AT/bwrap"`;
    const words = `case "$1" in update) : > "$AT/lists" ;; *) [ -e "$AT/lists" ] || exit 100; ${made} ;; esac`;
    await program("apt-get", words);
    const { why, said } = look();
    assert.equal(why, undefined);
    assert.match(said.join("\n"), /apt-get installs the package/);
  });

  it("is installed by nobody else, and named where apt fails", async () => {
    await program("apt-get", 'echo "$@" >> "$AT/asked"; exit 100');
    for (const given of [{ isRoot: false }, { isDebian: false }]) {
      const { why, said } = look(given);
      assert.match(why, /bwrap\) is not installed\. Install it/);
      assert.deepEqual(said, []);
    }
    assert.match(look().why, /apt-get failed to install it/);
    assert.equal(look({ platform: "darwin" }).why, undefined);
  });
});
