import { joined, type PackageFiles } from "./package-files.js";

/** What readers of packages know of this machine, without asking a program. */
export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's folder, with `/` between its parts. */
  readonly home: string;
  /** As Node names them: `linux`, `darwin`, `win32`; `x64`, `arm64`. */
  readonly platform: string;
  readonly arch: string;
  /** SHA-256 of a text, as URL-safe base64. */
  sha256(text: string): string;
}

/** A variable that holds a path, with `/` between its parts; undefined when it is not set or empty. */
export function pathVariable({ env }: Pick<Machine, "env">, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value === "" ? undefined : value.replaceAll("\\", "/").replace(/(?<=.)\/+$/, "");
}

/** Where a program lies, by PATH, links not followed. */
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
