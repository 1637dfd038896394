import { args, dictionary, env, mapped, optional, record, required, text } from "./shape.js";
import type { Shape } from "./shape.js";

/** Program on this machine. The file format spells it `local` (with `command`) or `executable` (with `path`). */
interface ExecutableDistribution {
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface SymposiumDistribution {
  readonly subcommand: string;
  readonly args?: readonly string[];
}

/** Package for a package runner. `cmd` is the program's name if it differs from the package's. */
export interface PackageDistribution {
  readonly package: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cmd?: string;
}

export interface CargoDistribution {
  readonly crate: string;
  readonly version?: string;
  readonly binary?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface BinaryArchive {
  readonly archive: string;
  readonly cmd: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly sha256?: string;
}

/** Ways to obtain one component; at least one is present. */
export interface Distribution {
  readonly executable?: ExecutableDistribution;
  readonly symposium?: SymposiumDistribution;
  readonly npx?: PackageDistribution;
  readonly pipx?: PackageDistribution;
  readonly uvx?: PackageDistribution;
  readonly cargo?: CargoDistribution;
  /** By platform, such as `linux-x86_64` or `darwin-aarch64`. */
  readonly binary?: Readonly<Record<string, BinaryArchive>>;
}

const start = { args: optional(args), env: optional(env) };

const executable = mapped(
  record(
    {
      command: optional(text("The program's name, looked up on PATH, or its path.")),
      path: optional(text("The same as `command`.")),
      ...start,
    },
    { description: "A program on this machine." },
  ),
  ({ command, path, ...rest }, place): ExecutableDistribution | null => {
    const program = command ?? path;
    if (program === undefined) return place.report(`${place.label} needs "command" (or "path"), the program to start.`);
    if (command === undefined || path === undefined || command === path) return { command: program, ...rest };
    return place.report(`${place.label} has both "command" and "path".`, "Keep one of them.");
  },
);

const archives = dictionary(
  record(
    {
      archive: required(text("URL of the archive.")),
      cmd: required(text("The program's path in the archive.")),
      ...start,
      sha256: optional(text("Checksum of the archive, in hexadecimal.")),
    },
    { description: "The archive for one platform." },
  ),
  "Archives by platform, such as linux-x86_64.",
);

const packaged = (description: string): Shape<PackageDistribution> =>
  record(
    {
      package: required(text("The package, optionally with a version.")),
      ...start,
      cmd: optional(text("The package's program to run, if its name differs from the package's.")),
    },
    { description },
  );

const kinds = record(
  {
    local: optional(executable),
    executable: optional(executable),
    symposium: optional(
      record(
        { subcommand: required(text("The subcommand.")), args: optional(args) },
        { description: "A subcommand of symposium-acp-agent." },
      ),
    ),
    npx: optional(packaged("An npm package.")),
    pipx: optional(packaged("A Python package, run by pipx.")),
    uvx: optional(packaged("A Python package, run by uvx.")),
    cargo: optional(
      record(
        {
          crate: required(text("The crate.")),
          version: optional(text("Version; the latest by default.")),
          binary: optional(text("Program to run, if the crate has several.")),
          ...start,
        },
        { description: "A Rust crate." },
      ),
    ),
    binary: optional(archives),
  },
  { description: "How to install and start it." },
);

export const distribution: Shape<Distribution> = mapped(kinds, ({ local, ...rest }, place) => {
  const { executable: program = local, ...others } = rest;
  const read: Distribution = program === undefined ? others : { executable: program, ...others };
  if (Object.keys(read).length > 0) return read;
  return place.report(
    `${place.label} doesn't say how to start it.`,
    "Known: local, executable, symposium, npx, pipx, uvx, cargo, binary.",
  );
});
