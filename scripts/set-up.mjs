// Prepares `npm start` and `npm test`: installs packages and bundles the command if needed. Uses only Node.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "node_modules");

/**
 * The folder of the locked Node's program for this platform; undefined if npm left it out. npm 10 links no such program: the
 * packages of all platforms have one of the same name.
 */
export function lockedNodeFolder() {
  const system = process.platform === "win32" ? "win" : process.platform;
  const names = ["node", "node-bin"].map((start) => `${start}-${system}-${process.arch}`);
  return names.map((name) => join(modules, name, "bin")).find((folder) => existsSync(folder));
}

/** The environment in which the locked Node and the repository's own tools come first on PATH. */
export function toolEnvironment() {
  const folders = [lockedNodeFolder(), join(modules, ".bin"), process.env.PATH ?? process.env.Path ?? ""];
  return { ...process.env, PATH: folders.filter((folder) => folder !== undefined).join(delimiter) };
}

/**
 * The arguments of `spawn` for a program and its words. On Windows npm and editors are scripts, which only the shell starts;
 * that takes one text, and splits it at every blank that is not in quotes.
 */
export function spawnArguments(program, words, options = {}, platform = process.platform) {
  if (platform !== "win32") return [program, words, options];
  const quoted = [program, ...words].map((word) => (/^[\w./\\:@=+-]+$/.test(word) ? word : `"${word}"`));
  return [quoted.join(" "), { ...options, shell: true }];
}

/** Runs a program and returns its exit code; its output is ours, or goes to stderr when `quiet`. */
export function run(program, args, { quiet = false, cwd = root, env = {} } = {}) {
  const stdio = quiet ? ["ignore", 2, 2] : "inherit";
  const result = spawnSync(...spawnArguments(program, args, { cwd, env: { ...toolEnvironment(), ...env }, stdio }));
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Installs packages where the lock file is newer than what is installed, and bundles where a source is newer than the bundle. */
export function ensureBundled() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    fail(`Symposium needs Node 20.19 or newer; this is ${process.versions.node}.`);
  }
  if (timeOf(join(modules, ".package-lock.json")) < timeOf(join(root, "package-lock.json"))) {
    console.error("Installing packages (once) ...");
    if (run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { quiet: true }) !== 0) {
      fail("npm ci failed: see above. Without a network, run it once where there is one.");
    }
  }
  ensureCommand();
}

/** Bundles the command where a source is newer than the bundle. */
export function ensureCommand() {
  const built = timeOf(join(root, "core/dist/bin/symposium-acp-agent.mjs"));
  const sources = ["core/src", "lsp-adapter/src", "scripts/bundle"].map((folder) => newestOf(join(root, folder)));
  const others = ["package.json", "package-lock.json", "core/recommendations.toml", "scripts/bundle.mjs"];
  if (built < Math.max(...sources, ...others.map((file) => timeOf(join(root, file))))) {
    console.error("Bundling ...");
    if (run("node", [join(root, "scripts/bundle.mjs")], { quiet: true }) !== 0) fail("The bundle failed: see above.");
  }
}

export function fail(message) {
  console.error(message);
  process.exit(1);
}

function timeOf(file) {
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function newestOf(folder) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  return Math.max(
    ...entries.filter((entry) => entry.isFile()).map((entry) => timeOf(join(entry.parentPath, entry.name))),
  );
}
