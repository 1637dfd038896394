// Bundles the VS Code extension from the compiler's output. dist/extension.cjs is for the extension host, which loads
// dist/language-client.cjs on demand. dist/snapshot-worker.cjs is for a thread of it, and dist/webview/ for its pages. The
// command is in bin/. `--debug` makes files for a debugger. `--watch` makes them again after each change.
import { spawn } from "node:child_process";
import { cp, mkdir, rename, rm, writeFile } from "node:fs/promises";
import module from "node:module";
import { join, relative } from "node:path";
import { ensureCommand, fail, root, run, spawnArguments, toolEnvironment } from "./set-up.mjs";

const extension = join(root, "vscode-extension");
const isWatching = process.argv.includes("--watch");
const compile = ["-b", ...["src", "webview"].map((folder) => join(extension, folder))];

if (run("tsc", compile) !== 0) fail("The compiler failed: see above.");
// Loading webpack's files takes half a second of CPU.
module.enableCompileCache?.(join(root, ".cache/node"));
const { default: webpack } = await import("webpack");
const { extensionBuilds } = await import("./bundle/extension-builds.mjs");
const compiler = webpack(extensionBuilds({ isDebug: isWatching || process.argv.includes("--debug") }));

await placeCommand();
if (isWatching) {
  compiler.watch({}, (error, stats) => void report(error, stats));
  const options = { cwd: root, env: toolEnvironment(), stdio: "inherit" };
  spawn(...spawnArguments("tsc", [...compile, "--watch", "--preserveWatchOutput"], options));
  console.error("Watching the extension's sources ...");
} else {
  await new Promise((resolve) => compiler.run((error, stats) => resolve(report(error, stats))));
  await new Promise((resolve) => compiler.close(resolve));
}

/** Prints the problems of a build, and stores the paths of its modules: their packages have licences. */
async function report(error, stats) {
  if (error) throw error;
  if (stats.hasErrors() || stats.hasWarnings()) console.error(stats.toString("errors-warnings"));
  if (stats.hasErrors()) process.exitCode = 1;
  const modules = stats.stats.flatMap(({ compilation }) => [...compilation.modules]);
  const files = modules.flatMap(({ resource }) => (resource ? [relative(root, resource).replaceAll("\\", "/")] : []));
  await writeFile(join(extension, "dist/bundled-inputs.json"), JSON.stringify([...new Set(files)].sort()));
}

/** The bundled command, put in place at once: what runs meanwhile keeps its files. */
async function placeCommand() {
  ensureCommand();
  const target = join(extension, "bin");
  // git and the linters ignore this folder.
  const staging = join(extension, "dist", `bin.${process.pid}`);
  await mkdir(join(extension, "dist"), { recursive: true });
  await cp(join(root, "core/dist/bin"), staging, { recursive: true });
  await rename(target, `${staging}.old`).catch(() => undefined);
  await rename(staging, target);
  await rm(`${staging}.old`, { recursive: true, force: true });
}
