import { mkdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { commandBuild } from "../bundle/command-build.mjs";
import { fail, run } from "../set-up.mjs";
import { signAdHoc } from "./mach-o-signature.mjs";
import { bunProgram, bunRuntime } from "./release-tools.mjs";

/** Options that prevent loading .env and bunfig.toml from the current folder, which could run the project's code. */
const isolated = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
/** Bun would write down where the file was; in a module of Node's there is no such name. */
const nameless = ["--define", "__filename=undefined", "--define", "__dirname=undefined"];

/** Named from its own folder, since bytecode has the name that it was given. */
const script = "command.cjs";

/** Makes the executable of a row of the table in `folder`, on any platform, and returns its path. */
export async function buildExecutable({ name, bun, executable }, folder) {
  const target = join(folder, name, executable);
  const staging = `${target}.${process.pid}`;
  await mkdir(staging, { recursive: true });
  // Its name is part of what comes out.
  const made = join(staging, basename(target));
  const runtime = ["--compile", `--target=${bun.target}`, `--compile-executable-path=${await bunRuntime(bun.package)}`];
  await oneScript(join(staging, script));
  // Parsed beforehand, the command starts four times sooner, for a tenth more to download.
  const words = ["build", ...runtime, ...isolated, ...nameless, "--bytecode", script, "--outfile", made];
  if (run(await bunProgram(), words, { quiet: true, cwd: staging }) !== 0)
    fail(`The executable for ${name} cannot be made: see above.`);
  // Bun signs what it makes for Apple's own processors alone; elsewhere the old signature stays, and is wrong.
  if (name === "darwin-x64") await signAdHoc(made, executable);
  await rename(made, target);
  await rm(staging, { recursive: true });
  return target;
}

/** The command as one script, for which alone Bun makes bytecode without the paths of chunks in it. */
async function oneScript(outfile) {
  const [{ in: source }] = commandBuild.entryPoints;
  await build({ ...commandBuild, entryPoints: [source], outfile, format: "cjs", minify: true });
}
