import type { Command } from "../base/command.js";
import type { CargoDistribution, Distribution, PackageDistribution } from "./distribution.js";
import { fault, type Fault } from "../base/problem.js";

/** Start command of a distribution: a program, or a Symposium subcommand that the caller resolves. */
type StartableDistribution =
  | { readonly kind: "command"; readonly command: Command }
  | { readonly kind: "symposium"; readonly subcommand: string; readonly args: readonly string[] };

/**
 * Returns the first way to start without installation: executable, symposium, npx, pipx or uvx. If there is none, returns a problem with a
 * hint.
 */
export function commandOf(distribution: Distribution): StartableDistribution | Fault {
  const { executable, symposium, npx, pipx, uvx, cargo, binary } = distribution;
  if (executable) return command(executable.command, executable.args, executable.env);
  if (symposium) return { kind: "symposium", subcommand: symposium.subcommand, args: symposium.args ?? [] };
  if (npx) return packaged("npx", ["-y"], "--package", npx);
  if (pipx) return packaged("pipx", ["run"], "--spec", pipx);
  if (uvx) return packaged("uvx", [], "--from", uvx);
  if (cargo) return needsCargo(cargo);
  if (binary) {
    return fault(
      'A "binary" distribution must be installed first; adding it to the configuration doesn\'t install it.',
      "Run `symposium-acp-agent registry install` with it (and --extension, for a proxy), then use its id instead.",
    );
  }
  return fault("The distribution names no package, command or archive.");
}

function command(program: string, args: readonly string[] = [], env: Command["env"] = {}): StartableDistribution {
  return { kind: "command", command: { command: program, args, env } };
}

/**
 * Returns the command that starts a package. If `cmd` is given, names the package with the runner's option `from`, followed by the program.
 */
function packaged(
  runner: string,
  options: readonly string[],
  from: string,
  { package: name, cmd, args = [], env }: PackageDistribution,
): StartableDistribution {
  const target = cmd === undefined ? [name] : [from, name, cmd];
  return command(runner, [...options, ...target, ...args], env);
}

function needsCargo({ crate, version, binary = crate }: CargoDistribution): Fault {
  const wanted = version === undefined ? crate : `${crate}@${version}`;
  return fault(
    `The crate "${wanted}" must be installed first; adding it to the configuration doesn't install it.`,
    `Run \`symposium-acp-agent registry install\` with it (and --extension, for a proxy) and use its id, or \`cargo install ${wanted}\` and "executable": { "path": "${binary}" }.`,
  );
}
