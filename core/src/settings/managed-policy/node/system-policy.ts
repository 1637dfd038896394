import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import type { ManagedPolicy } from "../managed-policy.js";
import type { Owners } from "./write-access.js";

interface PolicyPlace {
  readonly folder: string;
  readonly owners: Owners;
}

const maxBytes = 1024 * 1024;

/** The administrator's folder. Fixed, since an environment variable would let a user choose another. */
function systemPlace(): PolicyPlace {
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    win32: "C:\\ProgramData\\Symposium",
    darwin: "/Library/Application Support/Symposium",
  };
  return { folder: folders[process.platform] ?? "/etc/symposium", owners: [0] };
}

let place = systemPlace();
let read: Promise<ManagedPolicy | undefined> | undefined;

/**
 * Returns the machine's policy; undefined if there is none. Reads it once in a process. Rejects with `invalid-policy` if a file is invalid,
 * or if others than the administrator may change a file.
 */
export function systemPolicy(): Promise<ManagedPolicy | undefined> {
  return (read ??= readPolicy(place));
}

/** Replaces the policy's folder for tests, until the result is disposed. No option or variable of the command leads here. */
export function usePolicyFolder(folder: string, owners: Owners): Disposable {
  const before = place;
  const use = (given: PolicyPlace): void => void ([place, read] = [given, undefined]);
  use({ folder, owners });
  return { [Symbol.dispose]: () => use(before) };
}

async function readPolicy({ folder, owners }: PolicyPlace): Promise<ManagedPolicy | undefined> {
  if (!isThere(folder)) return undefined;
  // Most machines have no policy, so its code is loaded only here.
  const [{ writableByOthers }, { parsePolicyFile }, { loadUntrustedText }, { formatProblem }] = await Promise.all([
    import("./write-access.js"),
    import("../policy-file.js"),
    import("../../../base/node/read-untrusted-file.js"),
    import("../../../base/problem.js"),
  ]);
  const check = async (path: string): Promise<void> => {
    const fault = await writableByOthers(path, owners).catch((error: unknown) => {
      throw invalidPolicy(`Can't read who may change ${path}: ${messageOf(error)}.`);
    });
    if (fault) throw unsafe(fault.path, fault.reason);
  };
  await check(folder);
  const dropIns = join(folder, "policy.d");
  const isDropIn = isThere(dropIns);
  if (isDropIn) await check(dropIns);
  const names = isDropIn ? (await readdir(dropIns)).filter((name) => name.endsWith(".jsonc")).toSorted() : [];
  const first = join(folder, "policy.jsonc");
  const paths = [...(isThere(first) ? [first] : []), ...names.map((name) => join(dropIns, name))];
  const files = await Promise.all(
    paths.map(async (path) => {
      await check(path);
      const text = await loadUntrustedText(path, maxBytes).catch((error: unknown) => {
        throw invalidPolicy(`${path} can't be read: ${messageOf(error)}.`);
      });
      const { policy, problems } = parsePolicyFile(text, path);
      if (policy) return policy;
      throw invalidPolicy(problems.map((problem) => formatProblem(problem, path)).join("\n"));
    }),
  );
  return files.length === 0 ? undefined : { files };
}

/** Error for a policy that can't be applied, so nothing starts. */
export function invalidPolicy(problems: string): SymposiumError {
  return new SymposiumError(
    "invalid-policy",
    problems,
    "Symposium starts no agent until your administrator corrects the policy.",
  );
}

function unsafe(path: string, reason: string): SymposiumError {
  const remedy =
    process.platform === "win32"
      ? `icacls "${path}" /inheritance:r /grant *S-1-5-18:F *S-1-5-32-544:F *S-1-5-32-545:RX`
      : `sudo chown root "${path}" && sudo chmod go-w "${path}"`;
  return new SymposiumError(
    "invalid-policy",
    `The policy of your organisation can't be trusted: ${path} ${reason}.`,
    `Symposium starts no agent until only the administrator can change it. Run \`${remedy}\`.`,
  );
}

/** Synchronous, since each start waits for the first answer. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw invalidPolicy(`${path} can't be read: ${messageOf(error)}.`);
  }
}
