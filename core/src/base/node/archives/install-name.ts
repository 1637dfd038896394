/** By whose rules a name must be good. */
export type NamePlatform = "windows" | "posix";

/** Names that Windows keeps for devices, whatever follows the first dot. */
const deviceName = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[\d¹²³]|lpt[\d¹²³])$/i;
// oxlint-disable-next-line no-control-regex -- these are the characters that it is about
const controlCharacter = /[\0-\x1f\x7f]/;
const idPattern = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const versionPattern = /^[0-9A-Za-z][0-9A-Za-z._+-]{0,127}$/;
/** What an id's folder holds beside its versions. */
export const stateFileName = "current.json";

/** Why `name` cannot be the name of one file or folder on `platform`, as the end of a sentence; undefined when it can. */
export function nameProblem(name: string, platform: NamePlatform): string | undefined {
  if (name === "" || name === "." || name === "..") return "is no file name";
  if (controlCharacter.test(name)) return "holds a control character";
  if (name.length > 255) return "is longer than 255 characters";
  if (/[/\\]/.test(name)) return "holds a path separator";
  if (platform === "posix") return undefined;
  if (/[<>:"|?*]/.test(name)) return "holds a character that Windows gives another meaning";
  if (/[. ]$/.test(name)) return "ends in a dot or a space, which Windows drops";
  const stem = (name.split(".")[0] ?? "").trimEnd();
  return deviceName.test(stem) ? "means a device on Windows" : undefined;
}

/** Whether `id` can name a folder on every platform. */
export function isInstallId(id: string): boolean {
  return idPattern.test(id) && nameProblem(id, "windows") === undefined;
}

/** Whether `version` can name a folder, beside the state file, on every platform. */
export function isVersionName(version: string): boolean {
  if (version.toLowerCase() === stateFileName) return false;
  return versionPattern.test(version) && nameProblem(version, "windows") === undefined;
}

/** Two names with the same key are one file on a system that ignores case. */
export function nameKey(name: string): string {
  return name.normalize("NFC").toUpperCase();
}
