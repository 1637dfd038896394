// As a program, `node scripts/release/npm-package.mjs FOLDER` lays the package out.
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureCommand, fail, root, run } from "../set-up.mjs";
import { settleModes } from "./archives.mjs";
import { bundledPackages, bundles, thirdPartyNotices } from "./bundled-packages.mjs";
import { product } from "./identity.mjs";

/** Lays out the npm package of the bundled command, which needs no other package, in the new folder `folder`. */
async function layOutNpmPackage(folder) {
  const { version, engines } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const manifest = {
    name: product.npmPackage,
    version,
    description: product.description,
    license: product.license,
    author: product.authors[0],
    repository: { type: "git", url: `git+${product.repository}.git` },
    type: "module",
    engines,
    bin: { [product.command]: `bin/${product.command}.cjs` },
    files: ["bin", "THIRD_PARTY_NOTICES.txt"],
  };
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(root, "core", "dist", "bin"), join(folder, "bin"), { recursive: true });
  for (const name of ["README.md", "LICENSE"]) await cp(join(root, name), join(folder, name));
  await writeFile(join(folder, "THIRD_PARTY_NOTICES.txt"), thirdPartyNotices(await bundledPackages(bundles.command)));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const programs = ["cjs", "mjs"].map((ending) => join(folder, "bin", `${product.command}.${ending}`));
  await settleModes(folder, { executables: programs });
}

/** Packs it as `symposium-acp-agent-VERSION.tgz` in `folder`; npm itself gives the same bytes each time. */
export async function packNpm(folder) {
  const staging = join(folder, `npm.${process.pid}`);
  try {
    await layOutNpmPackage(staging);
    if (run("npm", ["pack", "--ignore-scripts", "--silent"], { quiet: true, cwd: staging }) !== 0) {
      fail("npm pack failed: see above.");
    }
    const { name, version } = JSON.parse(await readFile(join(staging, "package.json"), "utf8"));
    const made = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    const file = `${product.command}-${version}.tgz`;
    await rename(join(staging, made), join(folder, file));
    return file;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureCommand();
  await layOutNpmPackage(process.argv[2] ?? fail("Say in which folder."));
}
