import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { repositoryRoot } from "../support/repository.js";
import { scaledMs } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { useVsCode } from "./stage.js";

/** A browser on each system: VS Code takes the system's keys by it. */
const systems = {
  windows: "Windows NT 10.0; Win64; x64",
  linux: "X11; Linux x86_64",
  mac: "Macintosh; Intel Mac OS X 10_15_7",
};

/** Runs in the extension host: writes VS Code's own keys to a file. */
const readsKeys = `
const { workspace, Uri } = require("vscode");
exports.run = async () => {
  const document = await workspace.openTextDocument(Uri.parse("vscode://defaultsettings/keybindings.json"));
  await require("node:fs/promises").writeFile(require("node:path").join(__dirname, "keys.json"), document.getText());
};
`;

describe("the keys of the extension in VS Code", () => {
  const stage = useVsCode(newestVsCode);

  for (const [system, platform] of Object.entries(systems)) {
    it(`replace none of VS Code's own: ${platform}`, async () => {
      const { browser, server, folder } = stage().code;
      const place = join(folder.root, `keys-${system}`);
      await mkdir(place);
      const manifest = {
        name: "keys",
        publisher: "test",
        version: "0.0.1",
        engines: { vscode: "*" },
        main: "./keys.js",
      };
      await writeFile(join(place, "package.json"), JSON.stringify(manifest));
      await writeFile(join(place, "keys.js"), readsKeys);
      const userAgent = `Mozilla/5.0 (${platform}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`;
      const context = await browser.newContext({ userAgent });
      context.setDefaultTimeout(scaledMs());
      const options = { workspace: folder.workspace, developmentPath: place, testsPath: join(place, "keys.js") };
      const window = await VsCodeWindow.open(context, server, options);
      assert.equal(await window.testsEnded, 0);
      await context.close();
      const own = keysIn(await readFile(join(place, "keys.json"), "utf8"));
      assert.ok(own.size > 300);
      const text = await readFile(join(repositoryRoot, "vscode-extension/package.json"), "utf8");
      const { contributes } = JSON.parse(text) as {
        contributes: { keybindings: readonly { key: string; mac: string }[] };
      };
      const ours = contributes.keybindings.map(({ key, mac }) => sorted(system === "mac" ? mac : key));
      assert.deepEqual(
        ours.filter((key) => own.has(key)),
        [],
      );
    });
  }
});

/** The keys in the text of default keybindings, without those of our extension. */
function keysIn(text: string): ReadonlySet<string> {
  const entries = [...text.matchAll(/^\{ "key": "([^"]+)",\s*"command": "([^"]+)"/gm)];
  return new Set(
    entries.flatMap(([, key = "", command = ""]) => (command.startsWith("symposium.") ? [] : [sorted(key)])),
  );
}

/** A key whose modifiers are in alphabetical order. */
function sorted(key: string): string {
  const parts = key.split("+");
  return [...parts.slice(0, -1).sort(), parts.at(-1)].join("+");
}
