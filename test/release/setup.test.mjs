import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors } from "../../scripts/setup/editors.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("npm run setup", () => {
  let home;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "symposium-setup-"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  /** An editor that notes with which words it was called. */
  async function editor(command) {
    const file = join(home, "bin", command);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\necho "$0 $*" >> '${join(home, "calls")}'\n`);
    await chmod(file, 0o755);
    return file;
  }

  function setup(...words) {
    const system = ["/usr/local/bin", "/usr/bin", "/bin"];
    const path = [join(home, "bin"), dirname(process.execPath), ...system].join(delimiter);
    const env = { ...process.env, HOME: home, PATH: path, XDG_CONFIG_HOME: join(home, "config") };
    const { status, stdout, stderr } = spawnSync("node", [join(root, "scripts/setup.mjs"), ...words], {
      encoding: "utf8",
      env,
    });
    return { status, lines: stdout.trim().split("\n"), stderr };
  }

  it("says without doing it what it would do in each editor that is there", async () => {
    const code = await editor("code");
    const cursor = await editor("cursor");
    const { status, lines } = setup("--all", "--dry-run");
    assert.equal(status, 0);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("Would do: ")).map((line) => line.slice("Would do: ".length)),
      [
        "Package symposium-acp-agent",
        "Put symposium-acp-agent on PATH",
        "Package the extension",
        "Install the extension in VS Code",
        "Install the extension in Cursor",
        "Write Symposium into Zed's settings",
      ],
    );
    assert.ok(lines.includes(`  To undo it: ${code} --uninstall-extension symposium-dev.symposium`));
    assert.ok(lines.some((line) => line.startsWith(`  ${cursor} --install-extension ${root}`)));
    await assert.rejects(readFile(join(home, "calls")), { code: "ENOENT" });
  });

  it("says where no editor is found, and goes on with the rest", () => {
    const { status, lines } = setup("--vscode", "--zed", "--dry-run");
    assert.equal(status, 0);
    assert.deepEqual(
      lines.filter((line) => !line.startsWith("  ")),
      [
        "Would do: Write Symposium into Zed's settings",
        "No VS Code, VSCodium, Cursor or Windsurf was found: the extension is installed nowhere.",
      ],
    );
  });

  it("removes the extension from every editor", async () => {
    const code = await editor("code");
    const codium = await editor("codium");
    const { status, stderr } = setup("--vscode", "--uninstall");
    assert.equal(status, 0, stderr);
    const calls = await readFile(join(home, "calls"), "utf8");
    const words = "--uninstall-extension symposium-dev.symposium";
    assert.equal(calls, `${code} ${words}\n${codium} ${words}\n`);
  });

  it("says what failed when an editor refuses, after the rest is done", async () => {
    const code = await editor("code");
    await writeFile(code, "#!/bin/sh\nexit 3\n");
    await editor("codium");
    const { status, stderr } = setup("--vscode", "--uninstall");
    assert.equal(status, 1);
    assert.match(stderr, /^This did not work, see above: Remove the extension from VS Code\.$/m);
    assert.match(await readFile(join(home, "calls"), "utf8"), /codium --uninstall-extension/);
  });

  it("explains itself when nothing is wished, or something unknown", () => {
    for (const words of [[], ["--emacs"]]) {
      const { status, stderr } = setup(...words);
      assert.equal(status, 1);
      assert.match(stderr, /npm run setup -- --all \| --acp \| --vscode \| --zed/);
    }
  });

  it("finds an editor in the Applications of a Mac, and by its script on Windows", () => {
    const mac = "/Applications/VSCodium.app/Contents/Resources/app/bin/codium";
    const places = { darwin: mac, win32: "C:\\tools\\cursor.cmd" };
    const found = Object.entries(places).map(([platform, place]) =>
      findEditors({ env: { PATH: "C:\\tools", HOME: "/Users/me" }, platform, look: (file) => file === place }),
    );
    assert.deepEqual(found, [[{ name: "VSCodium", program: mac }], [{ name: "Cursor", program: places.win32 }]]);
  });
});
