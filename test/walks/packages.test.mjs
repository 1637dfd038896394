import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentsOfPackage } from "../release/support/package-contents.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const here = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const limitMs = 300_000;

describe("the packages for this machine", function () {
  this.timeout(limitMs);
  let folder;
  let out;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-walk-"));
    out = join(folder, "release");
    node("scripts/release/package.mjs", "--only", "archives,vsix", "--platform", here, "--out", out);
  });
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  /** The output of a script; its home is a folder of the test. */
  function node(...words) {
    const env = { ...process.env, SYMPOSIUM_CONFIG_DIR: join(folder, "config") };
    const { status, stdout, stderr } = spawnSync("node", words, { cwd: root, encoding: "utf8", env });
    assert.equal(status, 0, `node ${words.join(" ")}:\n${stdout}\n${stderr}`);
    return stdout;
  }

  it("contain a vsix whose command answers a prompt", async () => {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const place = join(folder, "vsix");
    for (const [path, bytes] of await contentsOfPackage(join(out, `symposium-${version}.vsix`))) {
      await mkdir(dirname(join(place, path)), { recursive: true });
      await writeFile(join(place, path), bytes);
    }
    const command = join(place, "extension/bin/symposium-acp-agent.cjs");
    assert.equal(node(command, "--version"), `symposium-acp-agent ${version}\n`);
    assert.match(node(command, "chat", "--agent", "eliza", "Hello"), /\w/);
  });

  it("contain an archive whose executable starts and answers as an agent", () => {
    assert.match(node("scripts/release/try-archive.mjs", here, out), /"agentInfo":\{"name":"eliza"/);
  });
});
