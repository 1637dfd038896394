import { readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CargoPackages, readCargoPackages } from "../../recommendations/cargo-packages.js";
import { lockedCrates } from "../../recommendations/locked-crates.js";
import type { CargoText } from "../../proxies/cargo/unusable-cargo.js";
import type { FolderTrust } from "../../trust/folder-trust.js";
import { metadataFromFiles } from "../../proxies/cargo/node/metadata-from-files.js";
import { cargoText } from "../../proxies/cargo/node/run-cargo.js";
import type { Watchdog } from "../watchdog.js";

export interface WorkspacePackagesOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Cargo is asked only in folders that are trusted. */
  readonly trust: FolderTrust;
  readonly signal: AbortSignal;
  /** Ends cargo when this process is killed. */
  readonly watchdog?: Watchdog;
}

export interface WorkspacePackages extends CargoPackages {
  /** Lines for people: why less is known than there may be. */
  readonly warnings: readonly string[];
}

const nothing: WorkspacePackages = { used: [], speaking: [], warnings: [] };
/** Offline cargo answers at once; one that waits for a lock of another cargo does not. */
const timeoutMs = 20_000;
const metadata = ["metadata", "--offline", "--locked", "--format-version", "1"];

/**
 * The packages around `folder`, without network and without changing anything: by cargo where the folder is trusted, by
 * its files where it is not, or where that fails by the names in `Cargo.lock`. Rejects only when `signal` is aborted.
 */
export async function workspacePackages(options: WorkspacePackagesOptions): Promise<WorkspacePackages> {
  if ((await fileAbove(options.folder, "Cargo.toml")) === undefined) return nothing;
  const asked = await askCargo(options);
  options.signal.throwIfAborted();
  if (typeof asked !== "string") return { ...asked, warnings: [] };
  const lock = await fileAbove(options.folder, "Cargo.lock");
  const limit = `cargo cannot tell the dependencies: ${asked}.`;
  if (lock === undefined) return { ...nothing, warnings: [`${limit} There is no Cargo.lock either.`] };
  const crates = lockedCrates(await readFile(lock, "utf8").catch(() => ""));
  if ("kind" in crates) return { ...nothing, warnings: [limit, `${lock}: ${crates.message}`] };
  const rest = `Only the names in ${lock} count; what the crates themselves recommend is not known.`;
  return { used: crates, speaking: [], warnings: [`${limit} ${rest}`] };
}

/**
 * The packages, or why cargo does not know them. What only other platforms need was often never downloaded: then it
 * counts without those.
 */
async function askCargo(options: WorkspacePackagesOptions): Promise<CargoPackages | string> {
  const limit = AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]);
  const isTrusted = await options.trust.isTrusted(options.folder);
  const cargo = (...words: readonly string[]): Promise<CargoText> => {
    if (!isTrusted) return metadataFromFiles(words, options.folder, options.env);
    // A missing toolchain would otherwise be downloaded.
    const env = { ...options.env, RUSTUP_AUTO_INSTALL: "0" };
    return cargoText(words, { cwd: options.folder, env, signal: limit, watchdog: options.watchdog });
  };
  try {
    const whole = await cargo(...metadata);
    if (whole.kind === "missing" || whole.exitCode === 0 || !isTrusted) return packagesOf(whole);
    const version = await cargo("-vV");
    const [, host] = version.kind === "exited" ? (/^host: (\S+)$/m.exec(version.stdout) ?? []) : [];
    const here = host === undefined ? undefined : packagesOf(await cargo(...metadata, "--filter-platform", host));
    return here === undefined || typeof here === "string" ? packagesOf(whole) : here;
  } catch {
    return `it did not answer within ${timeoutMs / 1000} s`;
  }
}

function packagesOf(exit: CargoText): CargoPackages | string {
  if (exit.kind === "missing") return `${exit.reason}. ${exit.hint.replace(/\.$/, "")}`;
  if (exit.exitCode === 0) return readCargoPackages(exit.stdout) ?? "it did not answer with a list of packages";
  const said = exit.stderr.split("\n").find((line) => line.startsWith("error: "));
  return said?.slice("error: ".length) ?? `it ended with exit code ${exit.exitCode}`;
}

/** The file in `folder` or the nearest folder above it. */
async function fileAbove(folder: string, name: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return file;
    if (at === dirname(at)) return undefined;
  }
}
