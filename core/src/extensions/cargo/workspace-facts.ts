import { asObject, parsedObject } from "../../base/rpc/json.js";
import type { CargoCommand } from "../../base/cargo/cargo.js";
import type { CargoServices } from "./services.js";

/** What `cargo metadata` says of a workspace. */
export interface WorkspaceFacts {
  readonly root: string;
  readonly targetDirectory: string;
  readonly packages: readonly PackageFacts[];
}

interface PackageFacts {
  readonly name: string;
  readonly features: readonly string[];
}

/** Reads the output of `cargo metadata --no-deps --format-version 1`, among which warnings may stand; undefined when it has none. */
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

/** What to do about an error in cargo's own words; undefined when these say it themselves or it is not known. */
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
  if (/a bin target must be available/.test(error)) return "The package has no program; set `package` to one that has.";
  return undefined;
}

/** Counting packages takes cargo well under a second; a machine that is busy gets more time. */
const timeoutMs = 30_000;

/**
 * How many packages a build is made of, which cargo is asked beside the build and without the network. Disposing ends
 * the question.
 */
export class PackageTotal implements AsyncDisposable {
  readonly #end = new AbortController();
  #asked: Promise<void> | undefined;
  #packages: number | undefined;

  /** `command` is a `cargo tree` with a package a line. */
  constructor(
    private readonly services: Pick<CargoServices, "run">,
    private readonly command: CargoCommand,
  ) {}

  /** Undefined until cargo has answered, and where it cannot. */
  get packages(): number | undefined {
    return this.#packages;
  }

  /** Asks, the first time it is called; resolves, and never rejects, with the answer there or known not to come. */
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

/** A package stands in a tree once for each way to it, marked by `(*)` where its branches were shown before. */
function distinctPackages(tree: string): number {
  return new Set(tree.split("\n").flatMap((line) => /^\S+ v\d\S*/.exec(line)?.[0] ?? [])).size;
}
