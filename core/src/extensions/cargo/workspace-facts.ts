import { asObject, parsedObject } from "../../base/rpc/json.js";
import type { CargoCommand } from "../../base/cargo/unusable-cargo.js";
import type { CargoServices } from "./services.js";

export interface WorkspaceFacts {
  readonly root: string;
  readonly targetDirectory: string;
  readonly packages: readonly PackageFacts[];
}

interface PackageFacts {
  readonly name: string;
  readonly features: readonly string[];
}

/**
 * Parses the output of `cargo metadata --no-deps --format-version 1`, which may contain warnings. Returns undefined if there are no
 * metadata.
 */
export function parseMetadata(output: string): WorkspaceFacts | undefined {
  const line = output.split("\n").find((text) => text.startsWith('{"packages"'));
  const metadata = line === undefined ? undefined : parsedObject(line);
  const { workspace_root: root, target_directory: targetDirectory, packages } = metadata ?? {};
  if (typeof root !== "string" || typeof targetDirectory !== "string" || !Array.isArray(packages)) return undefined;
  return { root, targetDirectory, packages: packages.flatMap(toPackage) };
}

function toPackage(value: unknown): PackageFacts[] {
  const { name, features } = asObject(value) ?? {};
  return typeof name === "string" ? [{ name, features: Object.keys(asObject(features) ?? {}) }] : [];
}

/** Returns the remedy for a cargo error; undefined if unknown or already part of cargo's message. */
export function remedyFor(error: string, facts: WorkspaceFacts | undefined): string | undefined {
  if (/could not find `Cargo\.toml` in/.test(error))
    return "Set `cwd` to a folder inside a Cargo package or workspace.";
  if (/toolchain '.*' is not installed|is not installable|invalid toolchain name|no such command: `\+/.test(error)) {
    return "Leave `toolchain` out to use the default, or install it with `rustup toolchain install NAME`.";
  }
  if (/no such command: `nextest`/.test(error)) {
    return 'Install it with `cargo install cargo-nextest --locked`, or set `runner` to "cargo".';
  }
  if (/unexpected argument '--cargo-message-format/.test(error)) {
    return 'Update it with `cargo install cargo-nextest --locked`, or set `runner` to "cargo".';
  }
  if (
    /package ID specification .* did not match any packages|cannot specify features for packages outside/.test(error) &&
    facts
  ) {
    return `Packages of this workspace: ${facts.packages.map(({ name }) => name).join(", ")}.`;
  }
  if (/does not contain th(?:is|ese) features?|do(?:es)? not have (?:the|these) feature/.test(error) && facts) {
    const lists = facts.packages.map(({ name, features }) => `${name}: ${features.join(", ") || "none"}`);
    return `Features are ${lists.join("; ")}.`;
  }
  if (/could not determine which binary to run/.test(error)) return 'Name one in `cargo_args`, such as "--bin=NAME".';
  if (/a bin target must be available/.test(error))
    return "The package has no program; set `package` to one with a program.";
  return undefined;
}

/** Time limit. Cargo usually needs well under a second, but a busy machine may take longer. */
const timeoutMs = 30_000;

/** Counts the packages of a build with a separate offline cargo process. Disposing ends that process. */
export class PackageTotal implements AsyncDisposable {
  readonly #end = new AbortController();
  #asked: Promise<void> | undefined;
  #packages: number | undefined;

  /** `command` is a `cargo tree` that prints one package per line. */
  constructor(
    private readonly services: Pick<CargoServices, "run">,
    private readonly command: CargoCommand,
  ) {}

  /** Undefined until cargo has answered, or if it failed. */
  get packages(): number | undefined {
    return this.#packages;
  }

  /** Starts the count on the first call. Resolves when the count is finished or has failed; never rejects. */
  ask(): Promise<void> {
    this.#asked ??= this.#count();
    return this.#asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.#asked;
  }

  async #count(): Promise<void> {
    let listed = "";
    const output = (text: string): void => void (listed += text);
    const exit = await this.services.run(this.command, { signal: this.#end.signal, timeoutMs, output });
    if (exit.code === 0 && exit.endedBy === undefined) this.#packages = distinctPackages(listed);
  }
}

/** Counts distinct packages, since the tree lists a package once per path to it. */
function distinctPackages(tree: string): number {
  return new Set(tree.split("\n").flatMap((line) => /^\S+ v\d\S*/.exec(line)?.[0] ?? [])).size;
}
