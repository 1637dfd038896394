import { redactText } from "../../../base/redact.js";
import { messageOf } from "../../../base/symposium-error.js";
import { unusableCargo } from "../../../base/cargo/unusable-cargo.js";
import { askProgram } from "../../../base/node/ask-program.js";
import { minimalEnvironment } from "../../../base/node/minimal-environment.js";
import { resolveCommand, systemLookup } from "../../../base/node/resolve-command.js";
import { ideOperationsName } from "../../../extensions/ide-operations/ide-operations-options.js";
import { plainText } from "../../../agents/registry/registry-entry.js";
import type { ProxyEntry } from "../../../settings/proxy-entry.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { loadLspAdapter, withTrust } from "../../../extensions/ide-operations/node/language-servers.js";
import { checked, type Finding } from "../findings/finding.js";

const tools: readonly { readonly name: string; readonly need: string; readonly website: string }[] = [
  { name: "npm", need: "Agents from npm need it: it comes with Node.js", website: "https://nodejs.org" },
  { name: "npx", need: "Agents from npm need it: it comes with Node.js", website: "https://nodejs.org" },
  { name: "uv", need: "Agents written in Python can need it", website: "https://docs.astral.sh/uv" },
  { name: "pipx", need: "Agents written in Python can need it", website: "https://pipx.pypa.io" },
  { name: "cargo", need: "Extensions that are crates, and the tools for Rust, need it", website: "https://rustup.rs" },
];
const timeoutMs = 20_000;
const oldestNode = [20, 19] as const;

export async function checkTools(signal: AbortSignal): Promise<readonly Finding[]> {
  return [checkNode(), ...(await Promise.all(tools.map((tool) => checkTool(tool, signal))))];
}

function checkNode(): Finding {
  const { ok, fail } = checked("node");
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isNewEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  const text = `${process.versions.node} at ${process.execPath}`;
  if (isNewEnough) return ok(text);
  return fail(text, `Install Node.js ${oldestNode.join(".")} or newer (https://nodejs.org).`);
}

async function checkTool({ name, need, website }: (typeof tools)[number], signal: AbortSignal): Promise<Finding> {
  const { ok, warn: warned } = checked(name);
  const warn = (text: string): Finding => ({ ...warned(text, `${need} (${website}).`), missing: "tool", website });
  // Ignores programs and settings of this folder, such as `.venv/bin` or rust-toolchain.toml.
  const env = minimalEnvironment(process.env, { notFrom: [process.cwd()] });
  const path = resolveCommand(name, systemLookup(env, "/"));
  if (path === undefined) return warn("is not on PATH");
  // A rustup stack trace would push the cause, its first line, out of the stored output.
  const options = { env, given: { RUST_BACKTRACE: "0" }, signal, timeoutMs };
  const { code, stdout, stderr, fault = "" } = await askProgram([path, "--version"], options);
  signal.throwIfAborted();
  if (code === 0) return ok(`${plainText(stdout.split("\n", 1)[0] ?? "", 100)} at ${path}`);
  const unusable = name === "cargo" ? unusableCargo(stderr) : undefined;
  if (unusable) return warned(`${path} cannot run: ${unusable.reason}`, unusable.hint);
  return warn(`${path} fails: ${plainText(redactText(fault), 200)}`);
}

/** Reports language servers available for a folder if the editor provides none. Without `proxies`, all extensions are on. */
export async function checkLanguageServers(
  folder: string,
  proxies: readonly ProxyEntry[] | undefined,
  trust: FolderTrust,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const entry = proxies?.find(({ name }) => name === ideOperationsName);
  if (proxies && entry?.enabled !== true) return [];
  try {
    const adapter = await loadLspAdapter();
    const settings = await withTrust(entry?.options ?? {}, folder, trust);
    const checks = await adapter.checkLanguageServers({ folder, settings, signal });
    return checks.flatMap(({ name, status, detail, remedy }) => {
      const { ok, warn } = checked(name);
      if (status === "absent") return [];
      return [status === "ok" ? ok(detail) : { ...warn(detail, remedy), missing: "language-server" as const }];
    });
  } catch (failure) {
    signal.throwIfAborted();
    return [checked("languages").warn(messageOf(failure))];
  }
}
