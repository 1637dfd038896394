import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runToEnd } from "../child.js";
import { environmentOfThisMachine } from "../environment.js";
import { lastLines } from "../packages/install-package.js";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge"];
const places = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];
const installLimitMs = 9 * 60_000;

/**
 * The Chromium or Chrome that shows the windows: `SYMPOSIUM_CHROMIUM`, else the one on PATH, else the one that apt
 * installs where we are root. Throws where there is none.
 */
export async function findChromium(): Promise<string> {
  const chosen = process.env["SYMPOSIUM_CHROMIUM"];
  if (chosen !== undefined) {
    if (existsSync(chosen)) return chosen;
    throw new Error(`SYMPOSIUM_CHROMIUM names "${chosen}", which does not exist. Name a Chromium or Chrome program.`);
  }
  const problem = installed() === undefined ? await installWithApt() : undefined;
  const found = installed();
  if (found !== undefined) return found;
  throw new Error(
    `No Chromium or Chrome on PATH, and none could be installed: ${problem ?? "no reason given"}. ` +
      "Install one (Debian: apt-get install chromium) or name its program in SYMPOSIUM_CHROMIUM.",
  );
}

function installed(): string | undefined {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = folders.flatMap((folder) => names.map((name) => join(folder, name + suffix)));
  return [...onPath, ...places].find((path) => existsSync(path));
}

/** Returns the problem, if there is one. */
async function installWithApt(): Promise<string | undefined> {
  if (process.platform !== "linux") return "only on Linux it is installed automatically";
  if (process.getuid?.() !== 0) return "only root may install packages with apt-get";
  // Ubuntu's package of this name is an empty one that asks for snap.
  const packages = ["chromium", "fonts-dejavu-core"];
  const env = { ...environmentOfThisMachine(), PATH: process.env["PATH"] ?? "", DEBIAN_FRONTEND: "noninteractive" };
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", ...packages]]) {
    const { code, stdout, stderr } = await runToEnd({ words: ["apt-get", ...args], env, cwd: "/" }, installLimitMs);
    if (code !== 0) return `apt-get ${args.join(" ")} failed: ${lastLines(stderr || stdout)}`;
  }
  return undefined;
}
