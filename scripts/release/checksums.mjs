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
