import { joined, type PackageFiles } from "./package-files.js";

/** Facts about this machine, available without running programs. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home folder, with `/` as separator. */
  readonly home: string;
  /** Platform and architecture as in Node: `linux`, `darwin`, `win32`; `x64`, `arm64`. */
  readonly platform: string;
  readonly arch: string;
  /** Returns the SHA-256 of a text as URL-safe base64. */
  sha256(text: string): string;
}

/** Reads a variable that contains a path, with `/` as separator; undefined if unset or empty. */
export function pathVariable({ env }: Pick<Machine, "env">, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === "" ? undefined : value.replaceAll("\\", "/").replace(/(?<=.)\/+$/, "");
}

/** Finds a program on the PATH without following links. */
export async function programPlace(
  files: PackageFiles,
  { env, platform }: Machine,
  name: string,
): Promise<string | undefined> {
  const [separator, suffix] = platform === "win32" ? [";", ".exe"] : [":", ""];
  for (const folder of (env["PATH"] ?? env["Path"] ?? "").split(separator)) {
    if (folder === "") continue;
    const place = joined(folder.replaceAll("\\", "/"), name + suffix);
    if (await files.isFile(place)) return place;
  }
  return undefined;
}
