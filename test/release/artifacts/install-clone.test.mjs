import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root, version } from "../support/artifacts.mjs";
import { useSetupHome } from "../support/install-clone-home.mjs";

const limitMs = 400_000;

describe("npm run install-clone, for everything", function () {
  this.timeout(limitMs);
  const { place, editor, setup } = useSetupHome();

  it("sets everything up, says how to undo it, and takes it back", async function () {
    if (process.platform === "win32") return this.skip();
    const npm = spawnSync("sh", ["-c", "command -v npm"], { encoding: "utf8" }).stdout.trim();
    await symlink(npm, join(place(), "bin/npm"));
    const code = await editor("code");
    const settings = join(place(), "config/zed/settings.json");
    await mkdir(dirname(settings), { recursive: true });
    await writeFile(settings, "{ // mine\n}\n");

    const { status, lines, stderr } = setup("--all");
    assert.equal(status, 0, stderr);
    assert.deepEqual(
      lines.filter((line) => line.startsWith("  To revert: ")).map((line) => line.replaceAll(root, "CLONE/")),
      [
        "  To revert: npm uninstall --global symposium-acp-agent",
        `  To revert: ${code} --uninstall-extension symposium-dev.symposium`,
        "  To revert: node CLONE/core/dist/bin/symposium-acp-agent.mjs zed uninstall",
      ],
    );
    const command = join(place(), "global/bin/symposium-acp-agent");
    assert.equal(spawnSync(command, ["--version"], { encoding: "utf8" }).stdout, `symposium-acp-agent ${version}\n`);
    const vsix = join(root, `vscode-extension/dist/symposium-${version}.vsix`);
    assert.equal(await readFile(join(place(), "calls"), "utf8"), `${code} --install-extension ${vsix} --force\n`);
    assert.ok((await readFile(vsix)).length > 0);
    assert.match(await readFile(settings, "utf8"), /"Symposium"/);

    assert.deepEqual(setup("--all", "--uninstall").status, 0);
    await assert.rejects(readFile(command), { code: "ENOENT" });
    assert.match(await readFile(join(place(), "calls"), "utf8"), /--uninstall-extension symposium-dev\.symposium\n$/);
    assert.equal(await readFile(settings, "utf8"), "{ // mine\n}\n");
  });
});
