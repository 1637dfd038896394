import { cp, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fail, root, run } from "../set-up.mjs";
import { bundledPackages, bundles, thirdPartyNotices } from "./bundled-packages.mjs";

const extension = join(root, "vscode-extension");
/** What is packaged, beside the manifest: everything a user's machine needs, and nothing else. */
const contents = ["dist/extension.cjs", "dist/webview", "bin", "media", "README.md"];
const limitBytes = 2 * 1024 * 1024;
/** 1980-01-01, the first day that a zip archive can name. */
const fixedTime = "315532800";

/**
 * Packages the bundled extension as `file`, for one platform of VS Code or, without `target`, for all. The same sources
 * give the same bytes.
 */
export async function packageVsix({ file, version, target }) {
  const staging = `${file}.${process.pid}`;
  try {
    await stage(staging, version);
    process.env.SOURCE_DATE_EPOCH ??= fixedTime;
    const made = `${staging}.vsix`;
    const args = ["package", "--no-dependencies", "--allow-missing-repository", "--out", made];
    const words = target === undefined ? args : [...args, "--target", target];
    if (run("vsce", words, { quiet: true, cwd: staging }) !== 0) fail("vsce package failed: see above.");
    const { size } = await stat(made);
    if (size > limitBytes) fail(`${file} has ${size} bytes; ${limitBytes} are allowed.`);
    await rename(made, file);
    return size;
  } finally {
    await rm(staging, { recursive: true, force: true });
    await rm(`${staging}.vsix`, { force: true });
  }
}

async function stage(staging, version) {
  await mkdir(join(staging, "dist"), { recursive: true });
  for (const path of contents) {
    await mkdir(dirname(join(staging, path)), { recursive: true });
    await cp(join(extension, path), join(staging, path), { recursive: true });
  }
  for (const name of ["LICENSE", "CHANGELOG.md"]) await cp(join(root, name), join(staging, name));
  const packages = await bundledPackages(bundles.command, bundles.extension);
  await writeFile(join(staging, "THIRD_PARTY_NOTICES.txt"), thirdPartyNotices(packages));
  // Everything that was staged is wanted.
  await writeFile(join(staging, ".vscodeignore"), "");
  const manifest = JSON.parse(await readFile(join(extension, "package.json"), "utf8"));
  if (manifest.enabledApiProposals !== undefined)
    fail("The extension may use stable API only: no enabledApiProposals.");
  const { devDependencies: _, private: _private, ...released } = manifest;
  await writeFile(join(staging, "package.json"), JSON.stringify({ ...released, version }, undefined, 2));
}
