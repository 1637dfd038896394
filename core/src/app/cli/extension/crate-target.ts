import { realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { SymposiumError } from "../../../base/symposium-error.js";
import type { StartProcess } from "../../../base/component-process.js";
import { runTool, type ToolRun } from "../../../agents/install/run-package-tool.js";
import { unusableCargo } from "../../../base/cargo/unusable-cargo.js";
import { asObject, Json, type Members, stringOf, objectsOf } from "../../../base/rpc/json.js";
import { checked, type Finding } from "../findings/finding.js";
import { readStartMetadata, type ExtensionTarget } from "./start-metadata.js";

const { ok, warn, fail } = checked("metadata");
const place = "[package.metadata.symposium]";
const args = ["metadata", "--no-deps", "--format-version", "1"];

/** Finds the extension in a crate folder with cargo metadata. Runs the most recently built program. */
export async function crateTarget(folder: string, start: StartProcess, signal: AbortSignal): Promise<ExtensionTarget> {
  const broken = (finding: Finding): ExtensionTarget => ({ name: basename(folder), findings: [finding] });
  let run: ToolRun;
  try {
    run = await runTool(start, "cargo", { command: "cargo", args, env: { RUST_BACKTRACE: "0" }, cwd: folder }, signal);
  } catch (failure) {
    if (!(failure instanceof SymposiumError) || signal.aborted) throw failure;
    return broken(fail(failure.message, "cargo is needed to read Cargo.toml. Install Rust from https://rustup.rs."));
  }
  const unusable = run.isSuccess ? undefined : unusableCargo(run.exit.stderrTail);
  if (unusable) return broken(fail(`cargo cannot run: ${unusable.reason}`, unusable.hint));
  if (!run.isSuccess)
    return broken(fail(`cargo cannot read Cargo.toml: ${run.exit.stderrTail}`, "Correct Cargo.toml."));
  const metadata = Json.ofText(run.stdout).object ?? {};
  const packages = objectsOf(metadata["packages"]);
  const manifest = await realpath(join(folder, "Cargo.toml"));
  const own = packages.find(({ manifest_path: path }) => path === manifest);
  if (!own) {
    const names = packages.map(({ name }) => String(name)).join(", ");
    return broken(
      fail(`Cargo.toml describes no package, only a workspace (${names})`, "Give the folder of one package."),
    );
  }
  return packageTarget(own, String(metadata["target_directory"]));
}

async function packageTarget(own: Members, targetFolder: string): Promise<ExtensionTarget> {
  const { name, version, description, license, license_file: licenseFile, default_run: defaultRun } = own;
  const title = `${String(name)} ${String(version)}`;
  const metadata = readStartMetadata(asObject(own["metadata"])?.["symposium"], place, [
    ...["binary", "args", "env"],
    "recommended",
  ]);
  const { binary } = metadata;
  const findings = [...metadata.findings];
  if (isBlank(description))
    findings.push(warn("[package] has no description", "crates.io requires one: add a one-line description."));
  if (isBlank(license) && isBlank(licenseFile)) {
    findings.push(warn("[package] has no license", 'crates.io requires one: add license = "MIT", or your own.'));
  }
  const programs = objectsOf(own["targets"])
    .filter(({ kind }) => Array.isArray(kind) && kind.includes("bin"))
    .map((target) => String(target["name"]));
  const program = pickProgram(programs, binary, stringOf(defaultRun));
  if (typeof program !== "string") return { name: String(name), findings: [...findings, program] };
  const file = await builtProgram(targetFolder, program);
  findings.push(ok(`${title}, program "${program}"`));
  if (file === undefined) {
    const text = `"${program}" is not built: it is neither in ${join(targetFolder, "release")} nor in debug`;
    findings.push(checked("program").fail(text, "Run `cargo build --release`, then check again."));
    return { name: String(name), findings };
  }
  return { name: String(name), findings, command: { command: file, args: metadata.args, env: metadata.env } };
}

function pickProgram(
  programs: readonly string[],
  binary: string | undefined,
  defaultRun: string | undefined,
): string | Finding {
  const known = programs.map((name) => `"${name}"`).join(", ");
  if (programs.length === 0) return fail("the crate has no program", "Add src/main.rs, or a [[bin]] section.");
  if (binary !== undefined) {
    if (programs.includes(binary)) return binary;
    return fail(`${place} binary = "${binary}" isn't one of the crate's programs`, `Its programs are ${known}.`);
  }
  const [only] = programs;
  if (programs.length === 1 && only !== undefined) return only;
  if (defaultRun !== undefined && programs.includes(defaultRun)) return defaultRun;
  return fail(`the crate has several programs: ${known}`, `Set binary to one of them in ${place}.`);
}

async function builtProgram(targetFolder: string, program: string): Promise<string | undefined> {
  const name = process.platform === "win32" ? `${program}.exe` : program;
  const files = ["release", "debug"].map((profile) => join(targetFolder, profile, name));
  const built = await Promise.all(
    files.map(async (file) => ({ file, ms: (await stat(file).catch(() => undefined))?.mtimeMs ?? -1 })),
  );
  return built.filter(({ ms }) => ms >= 0).sort((one, other) => other.ms - one.ms)[0]?.file;
}

function isBlank(value: unknown): boolean {
  return typeof value !== "string" || value.trim() === "";
}
