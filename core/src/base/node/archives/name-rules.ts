export type NamePlatform = "windows" | "posix";

/** Device names reserved by Windows, regardless of the text after the first dot. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[\d¹²³]|lpt[\d¹²³])$/i;
// oxlint-disable-next-line no-control-regex -- these are the characters that it is about
const controlCharacter = /[\0-\x1f\x7f]/;
const idPattern = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const versionPattern = /^[0-9A-Za-z][0-9A-Za-z._+-]{0,127}$/;
export const stateFileName = "current.json";

/** Explains why `name` isn't a valid file name on `platform`, as the end of a sentence. Undefined if it is valid. */
export function nameProblem(name: string, platform: NamePlatform): string | undefined {
  if (name === "" || name === "." || name === "..") return "isn't a file name";
  if (controlCharacter.test(name)) return "contains a control character";
  if (name.length > 255) return "is longer than 255 characters";
  if (/[/\\]/.test(name)) return "contains a path separator";
  if (platform === "posix") return undefined;
  if (/[<>:"|?*]/.test(name)) return "contains a character that Windows reserves";
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which Windows drops";
  const stem = (name.split(".")[0] ?? "").trimEnd();
  return deviceName.test(stem) ? "is a device name on Windows" : undefined;
}

export function isInstallId(id: string): boolean {
  return idPattern.test(id) && nameProblem(id, "windows") === undefined;
}

/** Whether `version` is a valid folder name on every platform and differs from the state file. */
export function isVersionName(version: string): boolean {
  if (version.toLowerCase() === stateFileName) return false;
  return versionPattern.test(version) && nameProblem(version, "windows") === undefined;
}

/** Returns a key for comparing names. Names with equal keys refer to the same file on a case-insensitive system. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toUpperCase();
}
