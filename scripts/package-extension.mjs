// Makes the VS Code extension's package, vscode-extension/dist/symposium-VERSION.vsix: the bundle, the command, and a
// manifest without what only development needs. The same sources give the same bytes.
import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureBundled, fail, root, run } from "./set-up.mjs";

const extension = join(root, "vscode-extension");
const staging = join(extension, "dist", `package.${process.pid}`);
/** What is packaged, beside the manifest: everything a user's machine needs, and nothing else. */
const contents = ["dist/extension.cjs", "dist/webview", "bin", "media", "README.md", "CHANGELOG.md"].filter((path) =>
  existsSync(join(extension, path)),
);
const limitBytes = 2 * 1024 * 1024;
/** 1980-01-01, the first day that a zip archive can name. */
const fixedTime = "315532800";

ensureBundled();
if (run("node", [join(root, "scripts/bundle-extension.mjs")]) !== 0) fail("The bundle failed: see above.");
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const vsix = join(extension, "dist", `symposium-${version}.vsix`);
try {
  await stage();
  process.env.SOURCE_DATE_EPOCH ??= fixedTime;
  const args = ["package", "--no-dependencies", "--allow-missing-repository", "--out", `${staging}.vsix`];
  if (run("vsce", args, { quiet: true, cwd: staging }) !== 0) fail("vsce package failed: see above.");
  const { size } = await stat(`${staging}.vsix`);
  if (size > limitBytes) fail(`The package has ${size} bytes; ${limitBytes} are allowed.`);
  await rename(`${staging}.vsix`, vsix);
  console.log(`${vsix} (${size} bytes)`);
} finally {
  await rm(staging, { recursive: true, force: true });
  await rm(`${staging}.vsix`, { force: true });
}

async function stage() {
  await mkdir(join(staging, "dist"), { recursive: true });
  for (const path of contents) await cp(join(extension, path), join(staging, path), { recursive: true });
  await cp(join(root, "LICENSE"), join(staging, "LICENSE"));
  // Everything that was staged is wanted.
  await writeFile(join(staging, ".vscodeignore"), "");
  const manifest = JSON.parse(await readFile(join(extension, "package.json"), "utf8"));
  if (manifest.enabledApiProposals !== undefined)
    fail("The extension may use stable API only: no enabledApiProposals.");
  const { devDependencies: _, private: _private, ...released } = manifest;
  await writeFile(join(staging, "package.json"), JSON.stringify({ ...released, version }, undefined, 2));
}
