// Makes the VS Code extension's package for every platform, vscode-extension/dist/symposium-VERSION.vsix.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBundled, fail, root, run } from "./set-up.mjs";

ensureBundled();
if (run("node", [join(root, "scripts/bundle-extension.mjs")]) !== 0) fail("The bundle failed: see above.");
// These need the installed packages.
const { packageVsix } = await import("./release/vsix.mjs");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const file = join(root, "vscode-extension/dist", `symposium-${version}.vsix`);
console.log(`${file} (${await packageVsix({ file, version })} bytes)`);
