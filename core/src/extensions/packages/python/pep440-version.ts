/** Normalizes a PEP 440 version, so that equal versions are equal texts. Returns an invalid version unmodified. */
function normalVersion(version: string): string {
  const parts = partsOf(version);
  return parts === undefined
    ? version.trim().toLowerCase()
    : [parts.epoch, parts.release.join("."), ...parts.rest, parts.local].join("|");
}

/**
 * Whether the installed version matches the locked version. Ignores a local part of the installed version, such as `+cpu`, if the locked
 * version has none.
 */
export function isSameVersion(locked: string, installed: string): boolean {
  const plain = locked.includes("+") ? installed : installed.replace(/\+.*$/, "");
  return normalVersion(locked) === normalVersion(plain);
}

/** Compares the release parts of two versions, for example of Python. Returns a negative number if `left` is older. */
export function compareReleases(left: string, right: string): number {
  const [a, b] = [partsOf(left)?.release ?? [], partsOf(right)?.release ?? []];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string) {
  const form =
    /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?$/;
  const found = form.exec(version.trim().toLowerCase());
  if (!found) return undefined;
  const [, epoch = "0", release = "", pre, preNumber, postDash, post, postNumber, dev, devNumber, local = ""] = found;
  const numbers = release.split(".").map(Number);
  while (numbers.length > 1 && numbers.at(-1) === 0) numbers.pop();
  const usual = pre === undefined ? "" : ({ alpha: "a", beta: "b", c: "rc", pre: "rc", preview: "rc" }[pre] ?? pre);
  return {
    epoch: String(Number(epoch)),
    release: numbers,
    rest: [
      pre === undefined ? "" : `${usual}${Number(preNumber ?? 0)}`,
      postDash === undefined ? (post === undefined ? "" : `post${Number(postNumber ?? 0)}`) : `post${Number(postDash)}`,
      dev === undefined ? "" : `dev${Number(devNumber ?? 0)}`,
    ],
    local: local.replace(/[-_]/g, "."),
  };
}
