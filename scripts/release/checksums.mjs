import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

/** The file in a release's folder that has the checksum of every other file. */
export const checksumsName = "SHA256SUMS";

/** SHA-256 by file name, from the text that `sha256sum` prints. Throws with the line that is something else. */
export function parseChecksums(text) {
  const lines = text.split(/\r?\n/).filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line, index) => {
      const [, sha256, name] = /^([0-9a-f]{64}) [ *](?:.*\/)?([^/]+)$/.exec(line) ?? [];
      if (sha256 === undefined) throw new Error(`Line ${index + 1} is no checksum as sha256sum prints it: ${line}`);
      return [name, sha256];
    }),
  );
}

/** The SHA-256 of a file, in hexadecimal digits. */
export async function sha256Of(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** The checksums of the release in `folder`, by file name. Throws where it has none. */
export async function checksumsIn(folder) {
  return parseChecksums(await readFile(join(folder, checksumsName), "utf8"));
}

/**
 * Which files of the release in `folder` are not what its checksums say: one sentence each, none when all are whole.
 * `names` are the files that matter; all that have a checksum when absent.
 */
export async function checksumProblems(folder, names) {
  const expected = await checksumsIn(folder).catch((error) => error);
  if (expected instanceof Error) return [`${checksumsName} cannot be read: ${expected.message}`];
  const problems = (names ?? Object.keys(expected)).map(async (name) => {
    if (expected[name] === undefined) return [`${name} has no checksum in ${checksumsName}.`];
    const found = await sha256Of(join(folder, name)).catch((error) => error);
    if (found instanceof Error) return [`${name} cannot be read: ${found.message}`];
    return found === expected[name] ? [] : [`${name} is not the file that was made: its SHA-256 is ${found}.`];
  });
  return (await Promise.all(problems)).flat();
}
