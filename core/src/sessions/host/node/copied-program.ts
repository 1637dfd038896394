import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { askProgram } from "../../../base/node/ask-program.js";
import { isSingleExecutable } from "../../../base/node/own-program.js";
import { productVersion } from "../../../base/node/product-version.js";
import type { Command } from "../../../base/command.js";
import { SymposiumError } from "../../../base/symposium-error.js";

/** Time limit for copying over a slow connection. */
const timeoutMs = 10 * 60_000;

/** Whether this program was copied here by {@link copyProgram} on another machine. */
export function isCopiedProgram(script = process.argv[1]): boolean {
  return script !== undefined && /[\\/]\.symposium[\\/]versions[\\/]/.test(script);
}

/** Folder of this version's bundle, which runs without other packages; undefined for an executable or an unbundled program. */
export function bundleFolder(script = process.argv[1]): string | undefined {
  if (script === undefined || isSingleExecutable(script)) return undefined;
  const folder = dirname(realpathSync(script));
  return existsSync(join(folder, "chunks", "command.cjs")) ? folder : undefined;
}

/**
 * Copies the bundle in `folder` to another machine, where `command` runs a Node program from stdin. Throws `install-failed` if the copy
 * fails or has another checksum.
 */
export async function copyProgram(command: Command, folder: string, name: string): Promise<void> {
  const packed = await packedFiles(folder);
  const checksum = createHash("sha256").update(packed).digest("hex");
  const input = receiver(packed.toString("base64"), checksum);
  const options = { env: process.env, cwd: process.cwd(), timeoutMs };
  const { stdout, stderr, fault } = await askProgram([command.command, ...command.args], { ...options, input });
  if (stdout.trimEnd().endsWith(`copied ${checksum}`)) return;
  const reason = stderr.trim().split("\n").at(-1) ?? "";
  throw new SymposiumError(
    "install-failed",
    `Symposium couldn't be copied to ${name}: ${reason || (fault ?? "the copy is incomplete")}.`,
    "The other machine needs Node 20.19 or later.",
  );
}

async function packedFiles(folder: string): Promise<Buffer> {
  const names = ["symposium-acp-agent.cjs", ...(await readdir(join(folder, "chunks"))).map((name) => `chunks/${name}`)];
  const files = await Promise.all(
    names.map(async (name): Promise<[string, string]> => [name, await readFile(join(folder, name), "base64")]),
  );
  return gzipSync(JSON.stringify(Object.fromEntries(files)));
}

/** Returns the Node program that unpacks the files and adds a launcher to ~/.local/bin, each in one step. */
function receiver(packed: string, checksum: string): string {
  return String.raw`
const fs = require("node:fs"), os = require("node:os"), path = require("node:path");
const packed = Buffer.from("${packed}", "base64");
const checksum = require("node:crypto").createHash("sha256").update(packed).digest("hex");
const [major, minor] = process.versions.node.split(".").map(Number);
function fail(reason) { console.error(reason); process.exit(1); }
process.on("uncaughtException", (error) => fail(error.message));
if (checksum !== "${checksum}") fail("the copy has another checksum");
if (major < 20 || (major === 20 && minor < 19)) fail("Node " + process.versions.node + " is too old");
const folder = path.join(os.homedir(), ".symposium", "versions", ${JSON.stringify(productVersion)});
const launcher = path.join(os.homedir(), ".local", "bin", "symposium-acp-agent");
const temporary = "." + process.pid;
for (const [name, text] of Object.entries(JSON.parse(require("node:zlib").gunzipSync(packed)))) {
  const file = path.join(folder + temporary, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, Buffer.from(text, "base64"));
}
fs.rmSync(folder, { recursive: true, force: true });
fs.renameSync(folder + temporary, folder);
const words = [process.execPath, path.join(folder, "symposium-acp-agent.cjs")];
const quoted = words.map((word) => "'" + word.replaceAll("'", "'\\''") + "'").join(" ");
fs.mkdirSync(path.dirname(launcher), { recursive: true });
fs.writeFileSync(launcher + temporary, "#!/bin/sh\nexec " + quoted + ' "$@"\n', { mode: 0o755 });
fs.renameSync(launcher + temporary, launcher);
console.log("copied " + checksum);
`;
}
