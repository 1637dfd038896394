import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { absentCargo, unusableCargo } from "../../src/base/cargo/unusable-cargo.js";

/** Returns variables with this user's Rust folders, for programs that run with another home folder. */
export function rustFolders(env: NodeJS.ProcessEnv = process.env): Readonly<Record<string, string>> {
  const { RUSTUP_HOME = join(homedir(), ".rustup"), CARGO_HOME = join(homedir(), ".cargo"), RUSTUP_TOOLCHAIN } = env;
  return { RUSTUP_HOME, CARGO_HOME, ...(RUSTUP_TOOLCHAIN !== undefined && { RUSTUP_TOOLCHAIN }) };
}

/** Why no cargo runs in `env`, as a reason for which tests are left out; undefined where one does. */
export function whyNoCargo(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const { error, status, stderr } = run("cargo", ["--version"], env);
  if (error) return `cargo cannot run: ${error.code === "ENOENT" ? absentCargo.reason : error.message}`;
  if (status === 0) return undefined;
  return `cargo cannot run: ${unusableCargo(stderr)?.reason ?? stderr.trim().split("\n", 1)[0] ?? "it says nothing"}`;
}

/** Why no cargo of `env` builds for `target`; undefined where one does. */
export function whyNoTarget(target: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const reason = whyNoCargo(env);
  if (reason !== undefined) return reason;
  const folder = run("rustc", ["--print", "target-libdir", "--target", target], env).stdout.trim();
  return existsSync(folder) ? undefined : `Rust has no ${target} here: rustup target add ${target}`;
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const { error, ...run } = spawnSync(command, args, {
    // No folder's own toolchain counts, and none is downloaded.
    cwd: tmpdir(),
    env: { ...env, RUSTUP_AUTO_INSTALL: "0" },
    encoding: "utf8",
    timeout: 60_000,
  });
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- Node's types leave out the code
  return { ...run, error: error as NodeJS.ErrnoException | undefined };
}
