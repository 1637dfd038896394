// node scripts/release/try-archive.mjs PLATFORM: unpacks the archive of this machine's platform from dist/release and has
// its executable answer as an agent, as an editor would start it.
import { spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fail, root } from "../set-up.mjs";
import { platforms } from "./platforms.mjs";

const row = platforms.find(({ name }) => name === process.argv[2]);
if (!row) fail(`"${process.argv[2] ?? ""}" is no platform: ${platforms.map(({ name }) => name).join(", ")}.`);
const folder = await mkdtemp(join(tmpdir(), "symposium-try-"));
try {
  // Windows, too, has a tar, which reads both kinds of archive.
  must("tar", ["-xf", join(root, "dist/release", row.archive), "-C", folder]);
  const program = join(folder, row.executable);
  if (process.platform === "darwin") must("codesign", ["--verify", "--strict", program]);
  must(program, ["--version"]);
  console.log(await answerOf(program));
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function must(program, words) {
  const { status, error } = spawnSync(program, words, { stdio: "inherit" });
  if (status !== 0) fail(`${program} ${words.join(" ")} failed${error ? `: ${error.message}` : ""}.`);
}

/** What Eliza in the executable says to `initialize`; fails when it is no answer. */
async function answerOf(program) {
  const child = spawn(program, ["run-with", "--agent", "eliza"], { stdio: ["pipe", "pipe", "inherit"] });
  const params = { protocolVersion: 1, clientCapabilities: {} };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  for await (const line of createInterface({ input: child.stdout })) {
    child.stdin.end();
    if (JSON.parse(line).result?.agentInfo?.name !== "eliza") fail(`This is no answer of Eliza: ${line}`);
    return line;
  }
  return fail("The executable ended without an answer.");
}
