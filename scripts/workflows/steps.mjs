import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** How each shell that a step may name reads a script; without a name it is the first. */
const shells = {
  default: ["bash", "-e"],
  bash: ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail"],
  sh: ["sh", "-e"],
};
const files = { output: "GITHUB_OUTPUT", env: "GITHUB_ENV", path: "GITHUB_PATH", summary: "GITHUB_STEP_SUMMARY" };

/**
 * Runs the script of a step as a runner does: `{ failure, output, env, path }`, where `failure` is a sentence or absent, and
 * the others are what the script left in its files. Everything it started is ended when `signal` is aborted.
 */
export async function runScript({ script, shell = "default", folder, env, temp, signal }) {
  const words = shells[shell];
  if (words === undefined) return { ...nothing(), failure: `the shell "${shell}" is not known here` };
  const place = await mkdtemp(join(temp, "step-"));
  try {
    const paths = Object.fromEntries(Object.entries(files).map(([name, variable]) => [variable, join(place, name)]));
    for (const path of Object.values(paths)) await writeFile(path, "");
    const file = join(place, "script.sh");
    await writeFile(file, script);
    const [program, ...options] = words;
    const failure = await run(program, [...options, file], { cwd: resolve(folder), env: { ...env, ...paths } }, signal);
    const read = (variable) => readFile(paths[variable], "utf8");
    const left = { output: pairsOf(await read(files.output)), env: pairsOf(await read(files.env)) };
    const path = (await read(files.path)).split("\n").filter((line) => line !== "");
    return { ...left, path, ...(failure !== undefined && { failure }) };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

/** Names and values, as a step writes them: `NAME=VALUE` lines, and `NAME<<END` up to a line `END`. */
function pairsOf(text) {
  const pairs = {};
  const lines = text.split("\n");
  while (lines.length > 0) {
    const line = lines.shift() ?? "";
    const [, name, end] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (name !== undefined) {
      const at = lines.indexOf(end);
      if (at === -1) throw new Error(`"${name}" has no line "${end}" at its end.`);
      pairs[name] = lines
        .splice(0, at + 1)
        .slice(0, -1)
        .join("\n");
    } else if (line !== "") {
      const at = line.indexOf("=");
      if (at < 1) throw new Error(`This is no NAME=VALUE: ${line}`);
      pairs[line.slice(0, at)] = line.slice(at + 1);
    }
  }
  return pairs;
}

async function run(program, words, options, signal) {
  if (signal?.aborted) return reasonOf(signal);
  // A group of its own: what the script leaves running is ended with it.
  const child = spawn(program, words, { ...options, stdio: ["ignore", "inherit", "inherit"], detached: true });
  const end = () => endGroup(child.pid);
  signal?.addEventListener("abort", end);
  try {
    const [code, killedBy] = await once(child, "exit");
    if (signal?.aborted) return reasonOf(signal);
    return code === 0 ? undefined : `it ended with ${killedBy ?? `exit code ${code}`}`;
  } catch (error) {
    return `${program} cannot be started: ${error.message}`;
  } finally {
    signal?.removeEventListener("abort", end);
    end();
  }
}

function reasonOf({ reason }) {
  return reason?.name === "TimeoutError" ? "the job took too long" : String(reason?.message ?? reason);
}

function endGroup(pid) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Nobody of the group is left.
    if (error.code !== "ESRCH") throw error;
  }
}

function nothing() {
  return { output: {}, env: {}, path: [] };
}
