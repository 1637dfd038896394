import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import { runnerOf } from "../../agents/install/installed.js";
import { startProgram } from "../../base/node/start-program.js";
import { pickNpmProgram } from "../../agents/registry/package-request.js";
import { asObject, parsedObject, stringOf } from "../../base/rpc/json.js";
import type { Subcommand } from "./declaration.js";

/**
 * `start-package PLACE [ARGUMENT…]`: npx runs this in place of the package (see `package-start`). Starts the program of npx's package in
 * the folder of `PLACE`, a JSON object, with the same input and output.
 */
export const startPackage: Subcommand = async ([place = "{}", ...args]) => {
  const { cwd, program } = asObject(JSON.parse(place)) ?? {};
  if (typeof cwd !== "string") throw failed("start-package is only for npx processes that Symposium starts.");
  const file = await programOfNpx(stringOf(program));
  // Only Windows needs the interpreter; other systems read the script's first line.
  const isScript = process.platform === "win32" && (await runnerOf(file, "node")) === "node";
  // npm sets these variables to its own folder.
  const env = { PWD: cwd, INIT_CWD: cwd };
  const command = { command: isScript ? "node" : file, args: isScript ? [file, ...args] : args, env, cwd };
  const started = startProgram(command, {
    env: process.env,
    stdio: "inherit",
    confined: "started inside",
    notFrom: [cwd],
    isInTerminal: true,
  });
  if ("startError" in started) throw failed(`${command.command} cannot be started in ${cwd}: ${started.startError}.`);
  const { child } = started;
  // Forward signals to the program, and let it finish by itself.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(failed(`${file} cannot be started: ${error.message}.`)));
    child.once("exit", (code) => resolve(code ?? 1));
  });
};

/** Finds the package's program: npx puts the package's `node_modules/.bin` on PATH. */
async function programOfNpx(named: string | undefined): Promise<string> {
  const path = Object.entries(process.env).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  for (const bin of path.split(delimiter).filter((folder) => /[\\/]node_modules[\\/]\.bin$/.test(folder))) {
    const packages = dirname(bin);
    const wanted = (await readManifest(join(dirname(packages), "package.json")))?.["dependencies"];
    const [name] = Object.keys(asObject(wanted) ?? {});
    if (name === undefined) continue;
    const manifest = await readManifest(join(packages, name, "package.json"));
    const file = pickNpmProgram(manifest, name, named);
    if (typeof file !== "string") throw new SymposiumError("component-start-failed", file.message, file.hint);
    return join(packages, name, file);
  }
  throw failed("npx did not put a package on the PATH.");
}

async function readManifest(file: string): Promise<ReturnType<typeof asObject>> {
  return parsedObject(await readFile(file, "utf8").catch(() => ""));
}

function failed(message: string): SymposiumError {
  return new SymposiumError(
    "component-start-failed",
    message,
    "Install it instead: symposium-acp-agent registry install.",
  );
}
