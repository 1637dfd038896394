import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Numbers of the users that may own a policy; the administrator's is 0. */
export type Owners = readonly number[];

/** macOS's group `admin`, whose members may become root. */
const macAdmins = 80;

/** File or folder that others may change, with the reason. */
interface Unsafe {
  readonly path: string;
  readonly reason: string;
}

/**
 * Looks for others than the administrator who may change a file or folder, directly or by replacing a folder above it. Follows links.
 * Returns undefined if there are none.
 */
export async function writableByOthers(path: string, owners: Owners): Promise<Unsafe | undefined> {
  const unsafe = (at: string, reason: string | undefined): Unsafe | undefined =>
    reason === undefined ? undefined : { path: at, reason };
  if (process.platform === "win32") return unsafe(path, windowsFault(await aclOf(path), path));
  const real = await realpath(path);
  let found = unsafe(real, faultOf(await stat(real), owners));
  for (let at = real; !found && dirname(at) !== at;) {
    at = dirname(at);
    found = unsafe(at, faultAbove(await stat(at), owners));
  }
  return found;
}

type Access = Pick<Stats, "uid" | "gid" | "mode">;

/** Judges the file or folder itself. */
export function faultOf({ uid, mode }: Access, owners: Owners): string | undefined {
  if (!owners.includes(uid)) return `belongs to the user ${uid} instead of root`;
  return (mode & 0o022) === 0 ? undefined : othersWrite;
}

const othersWrite = "can be written by other users";

/** Judges a folder above. In a sticky folder such as /tmp, users can't replace files of others. */
export function faultAbove({ uid, gid, mode }: Access, owners: Owners): string | undefined {
  if (!owners.includes(uid)) return `belongs to the user ${uid} instead of root`;
  const isAdmins = gid === 0 || (process.platform === "darwin" && gid === macAdmins);
  const writable = mode & (isAdmins ? 0o002 : 0o022);
  return writable === 0 || (mode & 0o1000) !== 0 ? undefined : othersWrite;
}

/** Runs the system's own icacls, since a user's PATH could lead to another program. */
async function aclOf(path: string): Promise<string> {
  const { askProgram } = await import("../../../base/node/ask-program.js");
  const { stdout, fault } = await askProgram(["C:\\Windows\\System32\\icacls.exe", path]);
  if (fault !== undefined) throw new Error(fault);
  return stdout;
}

/** Accounts of the administrator and the system, in English and as numbers. */
const administrators =
  /^(?:NT AUTHORITY\\SYSTEM|BUILTIN\\Administrators|NT SERVICE\\TrustedInstaller|CREATOR OWNER|S-1-5-18|S-1-5-32-544|S-1-3-0)$/i;

/** Rights that allow changes: full, modify, write, and the individual ones. */
const writing = new Set(["F", "M", "W", "D", "DE", "DC", "WD", "AD", "WDAC", "WO", "GA", "GW", "WEA", "WA"]);

/** Reads the output of `icacls PATH`: a line for each account, such as `BUILTIN\Users:(I)(OI)(CI)(RX,W)`. */
export function windowsFault(output: string, path: string): string | undefined {
  const lines = output
    .split(/\r?\n/)
    .map((line) => (line.startsWith(path) ? line.slice(path.length) : line).trim())
    .filter((line) => line !== "");
  const entries = lines.flatMap((line) => {
    const [, account, rights] = /^(.+?):((?:\([^()]*\))+)$/.exec(line) ?? [];
    return account === undefined || rights === undefined ? [] : [{ account, rights }];
  });
  if (entries.length === 0) return "has no access list that can be read";
  const writer = entries.find(({ account, rights }) => {
    const words = [...rights.matchAll(/\(([^()]*)\)/g)].flatMap(([, word = ""]) => word.split(","));
    return !administrators.test(account) && !words.includes("DENY") && words.some((word) => writing.has(word));
  });
  return writer && `can be written by ${writer.account}`;
}
