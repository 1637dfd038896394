// node scripts/release/try-archive.mjs PLATFORM [FOLDER]: unpacks the archive of this machine's platform from the release in
// FOLDER, dist/release by default, and has its executable answer as an agent, as an editor would start it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fail, root } from "../set-up.mjs";
import { checksumProblems } from "./checksums.mjs";
import { platforms } from "./platforms.mjs";

const [platform = "", release = join(root, "dist/release")] = process.argv.slice(2);
const row = platforms.find(({ name }) => name === platform);
if (!row) fail(`"${platform}" is no platform: ${platforms.map(({ name }) => name).join(", ")}.`);
const problems = await checksumProblems(resolve(release), [row.archive]);
if (problems.length > 0) fail(problems.join("\n"));
const folder = await mkdtemp(join(tmpdir(), "symposium-try-"));
try {
  // Windows, too, has a tar, which reads both kinds of archive.
  must("tar", ["-xf", join(resolve(release), row.archive), "-C", folder]);
  const program = join(folder, row.executable);
  if (process.platform === "darwin") must("codesign", ["--verify", "--strict", program]);
  must(program, ["--version"]);
  console.log(await answerOf(program));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function must(program, words) {
  const { status, error } = spawnSync(program, words, { stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} failed${error ? `: ${error.message}` : ""}.`);
}

/** Returns the answer of the executable's Eliza to `initialize`; throws if Eliza doesn't answer. */
async function answerOf(program) {
  const child = spawn(program, ["run-with", "--agent", "eliza"], { stdio: ["pipe", "pipe", "inherit"] });
  // Windows removes no program that still runs.
  const gone = once(child, "exit");
  const params = { protocolVersion: 1, clientCapabilities: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdin.end();
    await gone;
    if (JSON.parse(line).result?.agentInfo?.name !== "eliza") throw new Error(`This is no answer of Eliza: ${line}`);
    return line;
  }
  throw new Error("The executable ended without an answer.");
}
