const maxChars = 40;

export const branchPrefix = "symposium/";

const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Derives a folder and branch name from a prompt or a title; `task` if it has no letters. */
export function worktreeName(words: string): string {
  const line = words.trim().split("\n", 1)[0] ?? "";
  const plain = line.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  const name = plain.replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  const short =
    name.length <= maxChars
      ? name
      : name
          .slice(0, maxChars + 1)
          .replace(/-[^-]*$/, "")
          .slice(0, maxChars);
  return short === "" || deviceName.test(short) ? "task" : short;
}

export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  for (let count = 2; ; count++) if (!isTaken(`${name}-${count}`)) return `${name}-${count}`;
}
