// One part of the tests in a process of its own, which cannot hang the run and leaves nothing running.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, toolEnvironment } from "../set-up.mjs";
import { descendantsOf, signal, survivors } from "./process-tree.mjs";

const usualLimits = {
  /** Without a word: longer than the longest installation that a test waits for. */
  quietMs: 15 * 60_000,
  /** From the end of the last test to the end of the process. */
  exitMs: 30_000,
  /** For what a part has started to end after it. */
  graceMs: 10_000,
};

/**
 * Runs a part: Node with `words` and `files`, at most `limitMinutes`. `onFailure` hears of each failure at once. Resolves with the
 * titles that `passed` and were `skipped`, with what `failed` (`title`, `error`, and a test's `file`), what it printed and the
 * seconds it took. A part that takes too long, does not end, ends without having run, or leaves processes behind has failed, too.
 */
export async function runPart(
  { name, words, files = [], limitMinutes },
  { env = {}, onFailure = () => undefined, signal: stop, limits = {} } = {},
) {
  const startedAt = Date.now();
  const { quietMs, exitMs, graceMs } = { ...usualLimits, ...limits };
  // The name is short, because the names of sockets below it must not be long.
  const folder = await mkdtemp(join(tmpdir(), "st-"));
  const result = { name, passed: [], skipped: [], failed: [], output: "" };
  const addFailure = (failure) => {
    result.failed.push(failure);
    onFailure(failure);
  };
  const fail = (title, error) => addFailure({ title, error });
  const child = spawn("node", [...words, ...files], {
    ...{ cwd: root, detached: process.platform !== "win32" },
    env: { ...toolEnvironment(), ...env, TMPDIR: folder, TEMP: folder, TMP: folder },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      result.output += chunk;
      // One long test that prints its steps is at work.
      if (!hasEnded) heard();
    });
  }

  let doing = "starting";
  let hasEnded = false;
  let problem;
  const stopFor = (reason) => {
    if (problem !== undefined) return;
    problem = reason;
    void kill(child, graceMs);
  };
  const limit = setTimeout(
    () => stopFor(`took more than ${limitMinutes} minutes; it was ${doing}`),
    limitMinutes * 60_000,
  );
  let quiet;
  const heard = () => {
    clearTimeout(quiet);
    const limitMs = hasEnded ? exitMs : quietMs;
    quiet = setTimeout(() => {
      if (hasEnded) stopFor(`ran its tests to the end and then did not end: ${doing}`);
      else stopFor(`said nothing for ${quietMs / 60_000} minutes; it was ${doing}`);
    }, limitMs);
  };
  const aborted = () => stopFor("was stopped");
  stop?.addEventListener("abort", aborted);
  heard();
  child.on("message", (event) => {
    if (event.type === "passed" || event.type === "skipped") result[event.type].push(event.title);
    else if (event.type === "failed") addFailure({ title: event.title, error: event.error, file: event.file });
    else if (event.type === "ended") [hasEnded, doing] = [true, "it holds something open"];
    else if (event.type === "held") doing = `what it holds open is ${event.by.join(", ")}`;
    if (event.type === "begin") doing = `in "${event.title}"`;
    // What is held is said after the end, which has its own limit.
    if (event.type !== "held") heard();
  });

  const code = await new Promise((resolve) => {
    child.on("error", (error) => {
      problem ??= `did not start: ${error.message}`;
      resolve(undefined);
    });
    child.on("close", (status, name) => resolve(status ?? name));
  });
  clearTimeout(limit);
  clearTimeout(quiet);
  stop?.removeEventListener("abort", aborted);
  const count = result.passed.length + result.skipped.length + result.failed.length;
  if (problem !== undefined) fail(`(${name})`, `This part ${problem}.`);
  else if (code !== 0 && result.failed.length === 0)
    fail(`(${name})`, `This part ended with ${code}:\n${tail(result.output)}`);
  else if (count === 0) fail(`(${name})`, "This part ran no test.");
  const left = await survivors(folder, graceMs);
  if (left.size > 0) {
    signal(left.keys(), "SIGKILL");
    await survivors(folder, graceMs);
    // One that was stopped could not end its own.
    if (problem === undefined) fail(`(${name})`, `Left running: ${[...left.values()].join("; ")}`);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  return { ...result, seconds: (Date.now() - startedAt) / 1000 };
}

/** SIGTERM first, so that it ends what it has started; then SIGKILL for it and for all that was below it. */
async function kill(child, graceMs) {
  const all = [child.pid, ...descendantsOf(child.pid)];
  signal([child.pid], "SIGTERM");
  const late = setTimeout(() => signal([...new Set([...all, ...descendantsOf(child.pid)])], "SIGKILL"), graceMs);
  child.once("close", () => {
    clearTimeout(late);
    signal(all, "SIGKILL");
  });
}

function tail(output) {
  return output.trimEnd().split("\n").slice(-30).join("\n");
}
