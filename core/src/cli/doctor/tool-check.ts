import { messageOf } from "../../base/symposium-error.js";
import type { StartProcess } from "../../conductor/component-process.js";
import { runTool } from "../../node/install/run-tool.js";
import { resolveCommand, systemLookup } from "../../node/resolve-command.js";
import { plainText } from "../../registry/plain-text.js";
import { checked, type Finding } from "./finding.js";

/** Programs that some agents and extensions need, and where people get them. */
const tools: readonly { readonly name: string; readonly remedy: string }[] = [
  { name: "npm", remedy: "Agents from npm need it: it comes with Node.js (https://nodejs.org)." },
  { name: "npx", remedy: "Agents from npm need it: it comes with Node.js (https://nodejs.org)." },
  { name: "uv", remedy: "Agents written in Python can need it: https://docs.astral.sh/uv" },
  { name: "pipx", remedy: "Agents written in Python can need it: https://pipx.pypa.io" },
  { name: "cargo", remedy: "Extensions that are crates, and the tools for Rust, need it: https://rustup.rs" },
];
const timeoutMs = 20_000;
const oldestNode = [20, 19] as const;

/** Where Node and the tools that install agents are, and their versions. */
export async function checkTools(startProcess: StartProcess, signal: AbortSignal): Promise<readonly Finding[]> {
  return [checkNode(), ...(await Promise.all(tools.map((tool) => checkTool(tool, startProcess, signal))))];
}

function checkNode(): Finding {
  const { ok, fail } = checked("node");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const text = `${process.versions.node} at ${process.execPath}`;
  if (isNewEnough) return ok(text);
  return fail(text, `Install Node.js ${oldestNode.join(".")} or newer (https://nodejs.org).`);
}

async function checkTool(
  { name, remedy }: (typeof tools)[number],
  startProcess: StartProcess,
  signal: AbortSignal,
): Promise<Finding> {
  const { ok, warn } = checked(name);
  const path = resolveCommand(name, systemLookup());
  if (path === undefined) return warn("is not on PATH", remedy);
  try {
    const command = { command: path, args: ["--version"], env: {} };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const { isSuccess, stdout, exit } = await runTool(startProcess, name, command, limit);
    if (isSuccess) return ok(`${plainText(stdout.split("\n", 1)[0] ?? "", 100)} at ${path}`);
    return warn(`${path} fails: ${plainText(exit.stderrTail.split("\n", 1)[0] ?? "", 200)}`, remedy);
  } catch (failure) {
    signal.throwIfAborted();
    return warn(`${path} does not tell its version: ${messageOf(failure)}`, remedy);
  }
}
