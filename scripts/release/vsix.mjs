import { cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fail, root, run } from "../set-up.mjs";
import { settleModes } from "./archives.mjs";
import { bundledPackages, bundles, thirdPartyNotices } from "./bundled-packages.mjs";
import { product } from "./identity.mjs";
import { vsceProgram } from "./release-tools.mjs";
import { compressTightly } from "./tight-zip.mjs";
import { vsixProblems } from "./vsix-checks.mjs";

const extension = join(root, "vscode-extension");
/** What is packaged, beside the manifest: everything a user's machine needs, and nothing else. */
const contents = [
  ...["extension", "language-client", "snapshot-worker"].map((name) => `dist/${name}.cjs`),
  ...["dist/webview", "bin", "media", "l10n", "README.md", "package.nls.json"],
];
/** Small enough to download in seconds; the extension holds the whole command, pages and notices. */
const limitBytes = 2_300_000;
/** vsce takes the time of all files from the first, the first day that a zip archive can name, and sorts by the locale. */
const sameEverywhere = { SOURCE_DATE_EPOCH: "315532800", TZ: "UTC", LC_ALL: "C" };

/**
 * Packages the bundled extension as `file`, for one platform of VS Code or, without `target`, for all. The same sources
 * give the same bytes.
 */
export async function packageVsix({ file, version, target }) {
  const staging = `${file}.${process.pid}`;
  try {
    await stage(staging, version);
    const made = `${staging}.vsix`;
    const args = ["package", "--no-dependencies", "--out", made];
    const words = target === undefined ? args : [...args, "--target", target];
    if (
      run(process.execPath, [await vsceProgram(), ...words], { quiet: true, cwd: staging, env: sameEverywhere }) !== 0
    )
      fail("vsce package failed: see above.");
    await compressTightly(made);
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
  // The list of English texts is for translators: the code contains them.
  await rm(join(staging, "l10n/bundle.l10n.json"));
  for (const name of ["LICENSE", "CHANGELOG.md"]) await cp(join(root, name), join(staging, name));
  const packages = await bundledPackages(bundles.command, bundles.extension);
  await writeFile(join(staging, "THIRD_PARTY_NOTICES.txt"), thirdPartyNotices(packages));
  // Everything that was staged is wanted.
  await writeFile(join(staging, ".vscodeignore"), "");
  const manifest = JSON.parse(await readFile(join(extension, "package.json"), "utf8"));
  const { devDependencies, private: _private, ...published } = manifest;
  const released = { ...published, version };
  await writeFile(join(staging, "package.json"), JSON.stringify(released, undefined, 2));
  const problems = vsixProblems({
    manifest: released,
    files: await filesIn(staging),
    readme: await readFile(join(staging, "README.md"), "utf8").catch(() => undefined),
    icon: await readFile(join(staging, released.icon ?? "")).catch(() => undefined),
    types: devDependencies["@types/vscode"],
  });
  if (problems.length > 0) fail(problems.join("\n"));
  const programs = ["cjs", "mjs"].map((ending) => join(staging, "bin", `${product.command}.${ending}`));
  await settleModes(staging, { executables: programs });
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => relative(folder, file).split(sep).join("/"));
}
