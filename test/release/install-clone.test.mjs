import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findEditors } from "../../scripts/install-clone/editors.mjs";
import { useSetupHome } from "./support/install-clone-home.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const limitMs = 400_000;
const editors = {
  code: "VS Code",
  "code-insiders": "VS Code Insiders",
  codium: "VSCodium",
  cursor: "Cursor",
  windsurf: "Windsurf",
};

describe("npm run install-clone", function () {
  this.timeout(limitMs);
  const { place, program, editor, setup } = useSetupHome();

  /** Returns the expected output of a dry run of everything if these editors exist. Paths of this clone begin with CLONE. */
  async function expected(commands) {
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const vsix = `CLONE/vscode-extension/dist/symposium-${version}.vsix`;
    const editorFile = (command) => join(place(), "bin", command);
    return [
      "Step: Package symposium-acp-agent",
      "  node CLONE/scripts/release/package.mjs --only npm --out CLONE/dist/setup",
      "Step: Install symposium-acp-agent on PATH",
      `  npm install --global --no-audit --no-fund CLONE/dist/setup/symposium-acp-agent-${version}.tgz`,
      "  To revert: npm uninstall --global symposium-acp-agent",
      ...(commands.length === 0 ? [] : ["Step: Package the extension", "  node CLONE/scripts/package-extension.mjs"]),
      ...commands.flatMap((command) => [
        `Step: Install the extension in ${editors[command]}`,
        `  ${editorFile(command)} --install-extension ${vsix} --force`,
        `  To revert: ${editorFile(command)} --uninstall-extension symposium-dev.symposium`,
      ]),
      "Step: Add Symposium to Zed's settings",
      "  node CLONE/core/dist/bin/symposium-acp-agent.mjs zed install",
      "  To revert: node CLONE/core/dist/bin/symposium-acp-agent.mjs zed uninstall",
      ...(commands.length === 0
        ? [
            "No VS Code, VSCodium, Cursor or Windsurf was found. Put your editor's command, such as `code`, on PATH, and run this again.",
          ]
        : []),
    ];
  }

  for (const commands of [[], ...Object.keys(editors).map((command) => [command]), Object.keys(editors)]) {
    const there = commands.length === 0 ? "no editor" : commands.length === 1 ? commands[0] : "every editor";
    it(`says what it would do where ${there} is, and does none of it`, async () => {
      for (const command of commands) await editor(command);
      const { status, lines } = setup("--all", "--dry-run");
      assert.deepEqual(
        { status, lines: lines.map((line) => line.replaceAll(root, "CLONE/")) },
        { status: 0, lines: await expected(commands) },
      );
      await assert.rejects(readFile(join(place(), "calls")), { code: "ENOENT" });
    });
  }

  it("does only what is asked for, in any combination", async () => {
    await editor("code");
    const titles = (words) => setup(...words, "--dry-run").lines.filter((line) => line.startsWith("Step: "));
    const acp = ["Step: Package symposium-acp-agent", "Step: Install symposium-acp-agent on PATH"];
    const vscode = ["Step: Package the extension", "Step: Install the extension in VS Code"];
    const zed = ["Step: Add Symposium to Zed's settings"];
    assert.deepEqual([["--acp"], ["--vscode"], ["--zed"], ["--zed", "--acp"], ["--vscode", "--zed"]].map(titles), [
      acp,
      vscode,
      zed,
      [...acp, ...zed],
      [...vscode, ...zed],
    ]);
  });

  it("says what it would take back, in each editor that is there", async () => {
    const cursor = await editor("cursor");
    const { status, lines } = setup("--all", "--uninstall", "--dry-run");
    assert.deepEqual(
      { status, lines: lines.map((line) => line.replaceAll(root, "CLONE/")) },
      {
        status: 0,
        lines: [
          "Step: Remove symposium-acp-agent from PATH",
          "  npm uninstall --global symposium-acp-agent",
          "Step: Remove the extension from Cursor",
          `  ${cursor} --uninstall-extension symposium-dev.symposium`,
          "Step: Remove Symposium from Zed's settings",
          "  node CLONE/core/dist/bin/symposium-acp-agent.mjs zed uninstall",
        ],
      },
    );
  });

  it("installs the command in the home folder if npm's global folder isn't writable, and says how to find it", async () => {
    const taken = join(place(), "taken");
    await writeFile(taken, "");
    await program("npm", `echo '${taken}'`);
    const prefix = join(place(), ".local");
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    const [install, uninstall] = [["--acp"], ["--acp", "--uninstall"]].map(
      (words) => setup(...words, "--dry-run").lines,
    );
    assert.deepEqual(install.slice(-4), [
      `  npm install --global --prefix ${prefix} --no-audit --no-fund ${root}dist/setup/symposium-acp-agent-${version}.tgz`,
      `  To revert: npm uninstall --global --prefix ${prefix} symposium-acp-agent`,
      `You can't write to npm's global folder, so the command is in ${prefix}/bin.`,
      `To find it in new terminals, add this line to your shell's profile: export PATH="${prefix}/bin:$PATH"`,
    ]);
    assert.deepEqual(uninstall, [
      "Step: Remove symposium-acp-agent from PATH",
      `  npm uninstall --global --prefix ${prefix} symposium-acp-agent`,
    ]);
  });

  it("removes the extension from every editor", async () => {
    const code = await editor("code");
    const codium = await editor("codium");
    const { status, stderr } = setup("--vscode", "--uninstall");
    assert.equal(status, 0, stderr);
    const calls = await readFile(join(place(), "calls"), "utf8");
    const words = "--uninstall-extension symposium-dev.symposium";
    assert.equal(calls, `${code} ${words}\n${codium} ${words}\n`);
  });

  it("leaves an editor without the extension as it is", async () => {
    const code = await editor("code");
    await editor("codium", ["someone.else"]);
    const { status, lines } = setup("--vscode", "--uninstall");
    assert.deepEqual(
      [status, lines],
      [0, ["Remove the extension from VS Code", "Remove the extension from VSCodium: not installed"]],
    );
    const calls = await readFile(join(place(), "calls"), "utf8");
    assert.equal(calls, `${code} --uninstall-extension symposium-dev.symposium\n`);
  });

  it("says what failed when an editor refuses, after the rest is done", async () => {
    const code = await editor("code");
    await writeFile(code, "#!/bin/sh\nexit 3\n");
    await editor("codium");
    const { status, stderr } = setup("--vscode", "--uninstall");
    assert.equal(status, 1);
    assert.match(stderr, /^Failed: Remove the extension from VS Code\. See the output above\.$/m);
    assert.match(await readFile(join(place(), "calls"), "utf8"), /codium --uninstall-extension/);
  });

  it("explains itself when nothing is wished, or something unknown", () => {
    for (const words of [[], ["--emacs"]]) {
      const { status, stderr } = setup(...words);
      assert.equal(status, 1);
      assert.match(stderr, /npm run install-clone -- --all \| --acp \| --vscode \| --zed/);
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
