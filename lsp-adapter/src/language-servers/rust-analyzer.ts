import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ProbeOptions, probe, programOnPath } from "./probe.js";
import type { FoundServer, ServerDefinition, Surroundings } from "./server-definition.js";

/**
 * Environment variables that prevent changes to the toolchain: otherwise, rust-analyzer would add rust-src without asking, and rustup's
 * proxies would install the toolchain that `rust-toolchain.toml` names. With an unreachable server, both fail immediately.
 */
const toolchainGuards = { RUSTUP_DIST_SERVER: "http://127.0.0.1:9", RUSTUP_AUTO_INSTALL: "0" };

const installServer = "rustup component add rust-analyzer rust-src";

/** rust-analyzer without a full check on each save and without warming caches. */
export const rustAnalyzer: ServerDefinition = {
  name: "rust-analyzer",
  languages: [{ id: "rust", extensions: [".rs"] }],
  rootMarkers: ["Cargo.toml", "rust-project.json"],
  // rust-analyzer also runs cargo and rustc, which the workspace's configuration can replace.
  runsProject: true,
  async find(surroundings) {
    const options = guarded(surroundings);
    const [found, sources] = await Promise.all([findProgram(surroundings, options), findStdSources(options)]);
    if (!found) {
      const detail = `rust-analyzer is not installed for the toolchain of ${surroundings.root}`;
      return { kind: "missing", detail, remedy: `Run \`${installServer}\`.` };
    }
    return launchOf(found, sources);
  },
};

interface Program {
  readonly command: string;
  readonly version: string;
}

function guarded({ root, env, signal, ask }: Surroundings): ProbeOptions {
  return { cwd: root, env: { ...env, ...toolchainGuards }, signal, ask };
}

/**
 * Finds rust-analyzer in the workspace's toolchain, or else in the default toolchain. A rustup proxy in PATH doesn't prove that either
 * toolchain includes it.
 */
async function findProgram({ root, env }: Surroundings, options: ProbeOptions): Promise<Program | undefined> {
  const command = programOnPath("rust-analyzer", env, root);
  if (command === undefined) return undefined;
  const own = await probe([command, "--version"], options);
  if (own.isOk) return { command, version: own.line };
  const elsewhere = { ...options, cwd: dirname(command) };
  const real = await probe(["rustup", "which", "rust-analyzer"], elsewhere);
  if (!real.isOk) return undefined;
  const other = await probe([real.line, "--version"], elsewhere);
  return other.isOk ? { command: real.line, version: other.line } : undefined;
}

/** Returns the folder with the standard library's sources, or a problem if there is none. */
async function findStdSources(
  options: ProbeOptions,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  const given = options.env["RUST_SRC_PATH"];
  if (given !== undefined && existsSync(given)) return { path: given };
  const sysroot = await probe(["rustc", "--print", "sysroot"], options);
  if (!sysroot.isOk)
    return {
      problem: `rustc doesn't run (${sysroot.line}). Install a Rust toolchain, or run \`rustup show\` for details.`,
    };
  const path = join(sysroot.line, "lib", "rustlib", "src", "rust", "library");
  if (existsSync(path)) return { path };
  return {
    problem:
      "The Rust standard library sources are missing, so uses inside println!, vec! and other standard macros, and behind standard " +
      "types, aren't found. Run `rustup component add rust-src`.",
  };
}

function launchOf({ command, version }: Program, sources: Awaited<ReturnType<typeof findStdSources>>): FoundServer {
  const settings = {
    checkOnSave: false,
    cachePriming: { enable: false },
    // Enable experimental diagnostics, since no others report unresolved names.
    diagnostics: { experimental: { enable: true } },
  };
  return {
    kind: "found",
    version,
    launch: {
      name: "rust-analyzer",
      command,
      args: [],
      env: { ...toolchainGuards, ...("path" in sources && { RUST_SRC_PATH: sources.path }) },
      initializationOptions: settings,
      settings: { "rust-analyzer": settings },
      readiness: "server-status",
      ...("problem" in sources && { limitation: sources.problem }),
    },
  };
}
