const maxChars = 40;

/** What branches of worktrees begin with. */
export const branchPrefix = "symposium/";

/** Names that Windows keeps for devices. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** A name for a folder and a branch, made of words such as a prompt or a title; `task` where they have no letter. */
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

/** The name, with a number where it is taken. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  for (let count = 2; ; count++) if (!isTaken(`${name}-${count}`)) return `${name}-${count}`;
}
