/** What an extension's description is called where an address leaves it open. */
const descriptionFile = "extension.json";

const githubPage =
  /^https:\/\/(?:www\.)?github\.com\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/(blob|raw|tree)\/([^?#]+))?\/?$/i;

/**
 * Where an extension's description is fetched from: pages of a file, folder or repository on GitHub become the
 * address of the file itself, or of `extension.json` there; any other address stays as it is.
 */
export function extensionAddress(address: string): string {
  const [withoutFragment = ""] = address.trim().split("#");
  const [page = ""] = withoutFragment.split("?");
  const [, owner, repository, kind, rest] = githubPage.exec(page) ?? [];
  if (owner === undefined || repository === undefined) return withoutFragment;
  const base = `https://raw.githubusercontent.com/${owner}/${repository}`;
  const path = rest?.replace(/\/+$/, "");
  if (kind === undefined || path === undefined || path === "") return `${base}/HEAD/${descriptionFile}`;
  return kind.toLowerCase() === "tree" ? `${base}/${path}/${descriptionFile}` : `${base}/${path}`;
}
