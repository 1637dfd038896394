import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pickProgram, readCrateRecord } from "../registry/package-request.js";
import type { CargoPlan } from "../registry/start-plan.js";
import type { InstallState } from "./install-state.js";
import { unusableCargo } from "../../base/cargo/unusable-cargo.js";
import { resolveCommand, systemLookup } from "../../base/node/resolve-command.js";
import { installFailed, usable } from "../../base/node/install-failure.js";
import type { InstallContext } from "../../base/node/archives/install-progress.js";
import type { Built, InstallSource, InstallTools, Release } from "./install-source.js";
import { runTool, toolFailed, type ToolRun } from "./run-package-tool.js";

const crateName = /^[A-Za-z0-9][\w-]*$/;
const crateVersion = /^[\w.^~=<>*][\w.^~=<>*+, -]*$/;
const program = process.platform === "win32" ? ".exe" : "";

/** Installs crates with the user's cargo, so that configured mirrors and private registries apply. */
export class CargoSource implements InstallSource {
  constructor(
    private readonly plan: CargoPlan,
    private readonly tools: InstallTools,
  ) {
    const { crate, version = "*" } = plan;
    if (crateName.test(crate) && crateVersion.test(version)) return;
    throw installFailed(`"${crate}@${version}" cannot be installed`, "it isn't a valid registry crate and version");
  }

  /** Asks cargo for the crate's version. Old versions of cargo lack `cargo info` and report the version only after installation. */
  async resolve(folder: string, { signal, onProgress }: InstallContext): Promise<Release> {
    const { crate, version } = this.plan;
    onProgress({ step: "resolve", text: `Asking cargo for ${crate}` });
    const spec = version === undefined ? crate : `${crate}@${version}`;
    const run = await this.#cargo(["info", "--color=never", spec], folder, signal);
    // `cargo info` treats hyphens and underscores alike, but `cargo install` doesn't.
    const isThis = run.isSuccess && run.stdout.split(/\s/, 1)[0] === crate;
    return { version: isThis ? /^version: (\S+)/m.exec(run.stdout)?.[1] : undefined };
  }

  async build(root: string, { version }: Release, _state: InstallState, context: InstallContext): Promise<Built> {
    const { crate } = this.plan;
    const wanted = version ?? this.plan.version;
    const run = await this.#install(root, wanted, context);
    if (!run.isSuccess) throw toolFailed(`cargo cannot install "${crate}"`, run, hintFor(run));
    await rm(join(root, buildFolder), { recursive: true, force: true });
    const record = await readRecord(root, crate);
    const built = record?.version ?? wanted;
    if (built === undefined)
      throw installFailed(`cargo cannot install "${crate}"`, "cargo did not report which version it installed");
    const names = record?.programs ?? (await readdir(join(root, "bin")));
    const programs = names.map((name) => [name.replace(/\.exe$/i, ""), name] as const);
    const { program: named } = this.plan;
    const chosen = usable(pickProgram(programs, [named ?? crate], named !== undefined, crate));
    const file = chosen.endsWith(program) ? chosen : `${chosen}${program}`;
    return { version: built, launch: { runner: "self", file: `bin/${file}` } };
  }

  /** Installs a prebuilt program if cargo-binstall is available and succeeds; otherwise compiles. */
  async #install(root: string, version: string | undefined, { signal, onProgress }: InstallContext): Promise<ToolRun> {
    const { crate } = this.plan;
    const spec = version === undefined ? crate : `${crate}@${version}`;
    if (resolveCommand("cargo-binstall", systemLookup(this.tools.env)) !== undefined) {
      onProgress({ step: "download", text: `Installing ${spec} with cargo binstall (size unknown)` });
      const args = ["binstall", "--no-confirm", "--disable-telemetry", "--root", root, spec];
      const run = await this.#cargo(args, root, signal);
      if (run.isSuccess) return run;
    }
    onProgress({ step: "download", text: `Compiling ${spec} with cargo (size unknown, can take minutes)` });
    const wanted = version === undefined ? [] : ["--version", version];
    const args = ["install", "--color=never", "--root", root, "--locked", ...wanted, crate];
    return this.#cargo(args, root, signal, { CARGO_TARGET_DIR: join(root, buildFolder) });
  }

  async #cargo(
    args: readonly string[],
    cwd: string,
    signal: AbortSignal,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ToolRun> {
    const plain = { CARGO_TERM_PROGRESS_WHEN: "never", RUST_BACKTRACE: "0", ...env };
    const run = await runTool(this.tools.startProcess, "cargo", { command: "cargo", args, env: plain, cwd }, signal);
    const unusable = run.isSuccess ? undefined : unusableCargo(run.exit.stderrTail);
    if (!unusable) return run;
    throw installFailed(
      `"${this.plan.crate}" cannot be installed`,
      `cargo cannot run: ${unusable.reason}`,
      unusable.hint,
    );
  }
}

/** Cargo's build folder. It is inside the staging folder, so both are removed together. */
const buildFolder = ".build";

async function readRecord(root: string, crate: string): Promise<ReturnType<typeof readCrateRecord>> {
  for (const name of [".crates2.json", ".crates.toml"]) {
    const text = await readFile(join(root, name), "utf8").catch(() => undefined);
    const record = text === undefined ? undefined : readCrateRecord(text, crate);
    if (record !== undefined && record.programs.length > 0) return record;
  }
  return undefined;
}

function hintFor({ exit }: ToolRun): string | undefined {
  if (/requires rustc|is not supported by the following package/.test(exit.stderrTail)) {
    return "It needs a newer Rust version: run `rustup update`.";
  }
  return /linker .* not found/.test(exit.stderrTail) ? "Install a C compiler and linker." : undefined;
}
