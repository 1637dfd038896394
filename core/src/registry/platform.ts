const systems: Readonly<Record<string, string>> = { darwin: "darwin", linux: "linux", win32: "windows" };
const architectures: Readonly<Record<string, string>> = { arm64: "aarch64", x64: "x86_64" };

/** A platform as registries name it in the keys of `binary`. */
export interface Platform {
  /** Such as `darwin-aarch64` or `linux-x86_64`; where programs are built for musl, with `-musl` behind. */
  readonly key: string;
}

/**
 * The platform of Node's `process.platform` and `process.arch`. On musl only builds for musl run, so that they have
 * a key of their own. Systems that registries have no key for keep Node's names, and no build matches them.
 */
export function platformOf(system: string, architecture: string, isMusl = false): Platform {
  const key = `${systems[system] ?? system}-${architectures[architecture] ?? architecture}`;
  return { key: system === "linux" && isMusl ? `${key}-musl` : key };
}
