// The Chromium that shows pages in tests, benchmarks and pictures: the one place that finds or fetches it.
// Run as a program, prints {"program": PATH} or {"missing": REASON}.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { LockedPackages } from "../locked-packages.mjs";
import { root } from "../set-up.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];
const remedy = "Install Chromium or Chrome, or name its program in SYMPOSIUM_CHROMIUM.";
const answerLimitMs = 30_000;
const unpackLimitMs = 180_000;
const packages = new LockedPackages({
  tools: join(root, "scripts/test/tools"),
  cache: process.env.SYMPOSIUM_TEST_CACHE ?? join(root, ".cache", "agents"),
});

/**
 * `{ program }`: the one that `SYMPOSIUM_CHROMIUM` names, else one of this machine that runs, else one from npm that brings
 * its libraries and fonts, which needs no root. `{ missing }` says why there is none.
 */
export async function findBrowser() {
  const chosen = process.env.SYMPOSIUM_CHROMIUM;
  if (chosen !== undefined) {
    if (runs(chosen)) return { program: chosen };
    return { missing: `SYMPOSIUM_CHROMIUM names "${chosen}", which does not run` };
  }
  const earlier = process.env.SYMPOSIUM_NO_CHROMIUM;
  if (earlier !== undefined) return { missing: earlier };
  const installed = candidates().find((path) => existsSync(path) && runs(path));
  if (installed !== undefined) return { program: installed };
  if (process.platform !== "linux" || process.arch !== "x64")
    return { missing: `no Chromium or Chrome runs here, and npm has none for ${process.platform}. ${remedy}` };
  try {
    return { program: await fetched() };
  } catch (error) {
    return { missing: `no Chromium or Chrome runs here, and fetching one failed: ${error.message} ${remedy}` };
  }
}

function candidates() {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders.flatMap((folder) => names.map((name) => join(folder, name + suffix))), ...places];
}

/** Some systems have a program of this name that only says where to get the real one. */
function runs(program) {
  // On Windows it would open a window instead of saying its version.
  if (process.platform === "win32") return existsSync(program);
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8", timeout: answerLimitMs });
  return status === 0 && /\d+\.\d+/.test(stdout);
}

/** The program of a script that starts Chromium with the libraries and fonts beside it. */
async function fetched() {
  const package_ = await packages.tool("chromium", "@sparticuz/chromium");
  const modules = dirname(dirname(package_));
  const place = join(dirname(modules), "browser");
  const program = join(place, "chromium-here");
  if (existsSync(program)) return program;
  const staging = await mkdtemp(`${place}-`);
  try {
    await unpack(package_, staging);
    await cp(join(modules, "dejavu-fonts-ttf", "ttf"), join(staging, "fonts", "dejavu"), { recursive: true });
    await writeFile(join(staging, "fonts", "fonts.conf"), fontsConfiguration);
    await writeFile(join(staging, "chromium-here"), startScript);
    await chmod(join(staging, "chromium-here"), 0o755);
    if (!runs(join(staging, "chromium-here"))) throw new Error("What npm has does not start on this system.");
    await rename(staging, place).catch((error) => {
      // Another run was first.
      if (!existsSync(program)) throw error;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return program;
}

/** Unpacks the browser into its process's temp folder. The package unpacks its libraries only if it detects AWS Lambda. */
async function unpack(package_, folder) {
  await mkdir(folder, { recursive: true });
  const resolve = createRequire(join(package_, "package.json")).resolve;
  const module = pathToFileURL(resolve("@sparticuz/chromium")).href;
  const script = `const { default: chromium } = await import(${JSON.stringify(module)});
    chromium.setGraphicsMode = false;
    await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs22.x" };
  const { status, stderr, error } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
    ...{ env, encoding: "utf8", timeout: unpackLimitMs },
  });
  if (status !== 0) throw new Error(`It cannot be unpacked: ${error?.message ?? stderr.trim().split("\n").at(-1)}.`);
}

const fontsConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">.</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

const startScript = `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_PATH="$here/fonts"
exec "$here/chromium" "$@"
`;

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(JSON.stringify(await findBrowser()));
