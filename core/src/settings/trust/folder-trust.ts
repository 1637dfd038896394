import { SymposiumError } from "../../base/symposium-error.js";
import { isInFolder } from "./trust-record.js";
import { askUser, type Asker } from "./question.js";

export interface TrustStore {
  /** Returns the folder's path with all symbolic links resolved; undefined if the folder doesn't exist. */
  realPath(folder: string): Promise<string | undefined>;
  /** Returns whether the user trusts the folder or one of its parents. `folder` is a real path. */
  has(folder: string): Promise<boolean>;
  add(folder: string): Promise<void>;
  /** Returns whether the user refused further questions about the folder or one of its parents. */
  isRefused(folder: string): Promise<boolean>;
  refuse(folder: string): Promise<void>;
}

interface TrustNeed {
  readonly folder: string;
  /** The session's folder. If it contains `folder`, the question is about the session's folder. */
  readonly workspace?: string;
  /** Sentence about what would run, such as "cargo runs build scripts of this project." */
  readonly reason: string;
  /** Asks the user; absent if nobody can be asked. */
  readonly asker?: Asker | undefined;
}

/**
 * Decides whether a folder's code may run, based on `trust.json`, the folders that were vouched for when the process started, and the
 * user's answers. Trust is required to run a folder's code or tools that the folder's files configure, but not to read files.
 */
export class FolderTrust {
  /** Real paths that are trusted until this process exits. */
  readonly #trusted = new Set<string>();
  readonly #refused = new Set<string>();
  /** Real paths of vouched folders at the first check, so that a link inserted later has no effect. */
  readonly #vouchedPaths = new Map<string, string>();
  /** Questions that are waiting for an answer, by folder, so that the user isn't asked twice. */
  readonly #asking = new Map<string, Promise<TrustAnswer>>();

  /** `vouched` are folders that the starter of this process already trusts, such as an editor with its own trust setting. */
  constructor(
    private readonly store: TrustStore,
    private readonly vouched: readonly string[] = [],
  ) {}

  /** Returns the vouched folders that don't exist, and fixes the real paths of the others. */
  async missing(): Promise<readonly string[]> {
    const found = await Promise.all(this.vouched.map(async (one) => ({ one, real: await this.#vouchedPath(one) })));
    return found.flatMap(({ one, real }) => (real === undefined ? [one] : []));
  }

  /** Returns whether the folder is currently trusted, without asking. */
  async isTrusted(folder: string): Promise<boolean> {
    const real = await this.store.realPath(folder);
    return real !== undefined && this.#holds(real);
  }

  /** Returns whether the folder is trusted, and asks the user once per folder if not. Rejects only if the answer can't be saved. */
  async asked(need: TrustNeed): Promise<boolean> {
    const { reason, asker } = need;
    const folder = await this.store.realPath(need.folder);
    if (folder === undefined) return false;
    if (await this.#holds(folder)) return true;
    const workspace = need.workspace === undefined ? undefined : await this.store.realPath(need.workspace);
    const real = workspace !== undefined && isInFolder(folder, workspace) ? workspace : folder;
    if (!asker || this.#refused.has(real) || (await this.store.isRefused(real))) return false;
    const open = this.#asking.get(real);
    const asking = open ?? askForTrust(real, reason, asker).finally(() => this.#asking.delete(real));
    this.#asking.set(real, asking);
    const answer = await asking;
    // If the question was cancelled by the call that first asked it, ask again.
    if (open && answer === "unanswered" && !asker.signal.aborted) return this.asked(need);
    if (answer === "always" && !open) await this.store.add(real);
    if (answer === "always" || answer === "once") this.#trusted.add(real);
    if (answer === "never" && !open) await this.store.refuse(real);
    if (answer === "no" || answer === "never") this.#refused.add(real);
    return answer === "always" || answer === "once";
  }

  /** Rejects with `folder-not-trusted` and a remedy if the folder isn't trusted. */
  async require(need: TrustNeed): Promise<void> {
    if (await this.asked(need)) return;
    throw new SymposiumError(
      "folder-not-trusted",
      `${need.reason} The folder ${need.folder} is not trusted, so nothing was run.`,
      trustRemedy(need.folder),
    );
  }

  async #holds(real: string): Promise<boolean> {
    if ([...this.#trusted].some((one) => isInFolder(real, one))) return true;
    for (const folder of this.vouched) {
      const trusted = await this.#vouchedPath(folder);
      if (trusted !== undefined && isInFolder(real, trusted)) return true;
    }
    return this.store.has(real);
  }

  async #vouchedPath(folder: string): Promise<string | undefined> {
    const known = this.#vouchedPaths.get(folder);
    if (known !== undefined) return known;
    const real = await this.store.realPath(folder);
    if (real !== undefined) this.#vouchedPaths.set(folder, real);
    return real;
  }
}

export function trustRemedy(folder: string): string {
  const quoted = /^[\w./\\:@+-]+$/.test(folder) ? folder : JSON.stringify(folder);
  return `If you trust its authors, run \`symposium-acp-agent trust ${quoted}\`.`;
}

/**
 * Answer about a folder. `always` and `never` are saved; `once` and `no` apply until this process exits; `unanswered` means that nobody
 * chose.
 */
type TrustAnswer = "always" | "once" | "no" | "never" | "unanswered";

const options = {
  "trust-always": { name: "Trust this folder", kind: "allow_always", answer: "always" },
  "trust-once": { name: "Trust until Symposium exits", kind: "allow_once", answer: "once" },
  "trust-no": { name: "Don't trust", kind: "reject_once", answer: "no" },
  "trust-never": { name: "Never trust, and don't ask again", kind: "reject_always", answer: "never" },
} as const;

/** Asks whether to trust `folder`. `reason` is a sentence about what would run. Never rejects. */
async function askForTrust(folder: string, reason: string, asker: Asker): Promise<TrustAnswer> {
  const chosen = await askUser(asker, {
    title: `Trust the folder ${folder}?`,
    text: `${reason} Trusting this folder lets its code and configuration run programs as you. Trust it only if you trust its authors.`,
    options,
  });
  return chosen === undefined ? "unanswered" : options[chosen].answer;
}
