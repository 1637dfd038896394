import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { valid } from "semver";
import { readPublishedText } from "../../../agents/registry/read-entry.js";
import { startOf } from "../registry/resolve.js";
import { checked, type Finding } from "../findings/finding.js";
import { invalidArguments, messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { StartProcess } from "../../../base/component-process.js";
import { componentName } from "../../../settings/component-name.js";
import { parseShellWords } from "../../../base/shell-words.js";
import { crateTarget } from "./crate-target.js";
import { readStartMetadata, type ExtensionTarget } from "./start-metadata.js";
import { pickNpmProgram } from "../../../agents/registry/package-request.js";
import { isNpmPackage } from "../../../agents/registry/package-spec.js";
import { asObject } from "../../../base/rpc/json.js";
import { describeValue } from "../../../settings/shape.js";

/**
 * Finds the extension at `path`: a crate, an npm package, a folder with an `extension.json`, or such a file. Rejects with
 * `invalid-arguments`.
 */
export async function targetAt(path: string, start: StartProcess, signal: AbortSignal): Promise<ExtensionTarget> {
  const whole = resolve(path);
  const found = await stat(whole).catch(() => undefined);
  if (!found) throw notUnderstood(`${whole} does not exist.`);
  if (found.isFile()) {
    if (basename(whole).endsWith(".json") && basename(whole) !== "package.json") return descriptionTarget(whole);
    throw notUnderstood(`${whole} is a file.`);
  }
  const names = await readdir(whole);
  if (names.includes("Cargo.toml")) return crateTarget(whole, start, signal);
  if (names.includes("package.json")) return packageTarget(whole);
  if (names.includes("extension.json")) return descriptionTarget(join(whole, "extension.json"));
  throw notUnderstood(`${whole} has neither a Cargo.toml nor a package.json nor an extension.json.`);
}

/** Returns the extension for a command, given as words or as a single text of shell words. Throws `invalid-arguments`. */
export function targetOfWords(words: readonly string[]): ExtensionTarget {
  const [first = "", ...args] = words;
  if (args.length > 0) return targetOf({ command: first, args, env: {} });
  const read = parseShellWords(first);
  if (read.kind === "problem") throw invalidArguments(read.message, read.hint);
  return targetOf(read.command);
}

function targetOf(command: NonNullable<ExtensionTarget["command"]>): ExtensionTarget {
  return { name: componentName(command), findings: [], command };
}

function notUnderstood(message: string): SymposiumError {
  return invalidArguments(
    message,
    "Give the folder of a crate or an npm package, an extension.json, or a command after --.",
  );
}

const { ok, warn, fail } = checked("metadata");

/** Returns the extension that an `extension.json` describes. Extensions that need an installation aren't started. */
async function descriptionTarget(file: string): Promise<ExtensionTarget> {
  const entry = readPublishedText(await readFile(file, "utf8"));
  if ("kind" in entry) return { name: file, findings: [fail(entry.message, entry.hint)] };
  const { id, name, version, description } = entry;
  const findings = [ok(`${id} ${version ?? ""}`.trim())];
  for (const [key, text] of Object.entries({ version, description })) {
    if (text === undefined) findings.push(warn(`it has no ${key}`, "The registry expects one."));
  }
  try {
    const start = startOf({ kind: "entry", entry });
    if (start.kind === "command") return { name, findings, command: start.command };
    const remedy = "Check its source folder, or check the installed program with `extension check -- COMMAND`.";
    findings.push(
      checked("program").warn(`it has to be installed from ${start.plan.kind} first, so it was not started`, remedy),
    );
  } catch (failure) {
    if (!(failure instanceof SymposiumError)) throw failure;
    findings.push(fail(failure.message, failure.hint));
  }
  return { name, findings };
}

async function packageTarget(folder: string): Promise<ExtensionTarget> {
  const broken = (finding: Finding): ExtensionTarget => ({ name: basename(folder), findings: [finding] });
  let manifest: unknown;
  try {
    manifest = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  } catch (failure) {
    return broken(fail(`package.json cannot be read: ${messageOf(failure)}`, "Correct package.json."));
  }
  const { name, version, symposium, private: isPrivate } = asObject(manifest) ?? {};
  if (typeof name !== "string" || !isNpmPackage(name) || name.lastIndexOf("@") > 0) {
    return broken(
      fail(`package.json: name must be a valid npm package name, got ${describeValue(name)}`, "Correct it."),
    );
  }
  const metadata = readStartMetadata(symposium, 'package.json "symposium"', ["binary", "args", "env"]);
  const findings = [...metadata.findings];
  if (typeof version !== "string" || valid(version) === null) {
    findings.push(
      fail(`package.json: version must be a semantic version, got ${describeValue(version)}`, 'Such as "0.1.0".'),
    );
  }
  if (isPrivate === true) findings.push(warn("package.json is private", "Remove that line to publish it to npm."));
  const program = pickNpmProgram(manifest, name, metadata.binary);
  if (typeof program !== "string") {
    const hint = 'package.json needs "bin": { "my-extension": "dist/main.js" }.';
    return { name, findings: [...findings, fail(program.message, hint)] };
  }
  findings.push(ok(`${name} ${String(version)}, program ${program}`));
  const file = join(folder, program);
  if (!(await stat(file).catch(() => undefined))?.isFile()) {
    return {
      name,
      findings: [...findings, checked("program").fail(`${file} does not exist`, "Build it, then check again.")],
    };
  }
  return {
    name,
    findings,
    command: { command: process.execPath, args: [file, ...metadata.args], env: metadata.env },
  };
}
