import type { KindOfFiles } from "../../packages/package-folder.js";
import type { AbsentPackage, InstalledPackage, OtherVersion, PackageItem } from "../../packages/package-reader.js";

const maxOthers = 12;
const maxWanting = 4;

/** Which package and version an answer is about. */
export function headOf({ name, version, ecosystem }: InstalledPackage): string {
  return `${name} ${version} (${ecosystem})`;
}

export function sourcesText(found: InstalledPackage, kinds: readonly KindOfFiles[], entry: string | undefined): string {
  const { folder, subpath, why, drift, others, types } = found;
  const home = types?.folder ?? folder;
  return [
    headOf(found),
    `Folder: ${folder}${isInArchive(folder) ? " (in an archive: read its files by package_file)" : ""}`,
    ...(types ? [`Types: ${types.name} ${types.version} in ${types.folder}`] : []),
    ...(entry === undefined ? [] : [`${subpath === "" ? "Starts" : `"${subpath}" starts`} at: ${home}/${entry}`]),
    `Why: ${why.join("; ")}`,
    ...(drift === undefined ? [] : [`Drift: ${drift}`]),
    ...othersLine(others),
    `Files: ${kinds.map(kindText).join("; ")}`,
  ].join("\n");
}

export function absentText(absent: AbsentPackage, fetchable: string | undefined): string {
  const { name, ecosystem, wanted, why, others } = absent;
  return [
    `${name}${wanted === undefined ? "" : ` ${wanted}`} (${ecosystem}) is not installed here.`,
    `Why: ${why.join("; ")}`,
    ...othersLine(others),
    ...(fetchable === undefined ? [] : [fetchable]),
  ].join("\n");
}

export function itemText({ file, line, text, of }: PackageItem): string {
  const place = of ? `${of.name} ${of.version}: ${of.folder}/${file}` : file;
  return `${place}:${line}\n${text}`;
}

function othersLine(others: readonly OtherVersion[]): string[] {
  if (others.length === 0) return [];
  const shown = others.slice(0, maxOthers).map(({ version, wantedBy }) => {
    const more = wantedBy.length - maxWanting;
    const who = `${wantedBy.slice(0, maxWanting).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    return wantedBy.length === 0 ? version : `${version} (for ${who})`;
  });
  const left = others.length - shown.length;
  return [`Other versions here: ${shown.join("; ")}${left > 0 ? `; ${left} more` : ""}`];
}

function kindText({ kind, files, folder }: KindOfFiles): string {
  return `${files} ${kind}${folder === "" ? "" : ` in ${folder}/`}`;
}

function isInArchive(folder: string): boolean {
  return /\.(?:zip|jar)(?:\/|$)/.test(folder);
}
