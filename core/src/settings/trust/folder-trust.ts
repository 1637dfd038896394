import { SymposiumError } from "../../base/symposium-error.js";
import { isInFolder } from "./trust-record.js";
import { askUser, type Asker } from "./question.js";

/** Which folders this user trusts, on this machine. */
export interface TrustStore {
  /** The path with all links followed; undefined where there is no such folder. */
  realPath(folder: string): Promise<string | undefined>;
  /** Whether the user trusts the folder, which is a real path, or one that it is in. */
  has(folder: string): Promise<boolean>;
  add(folder: string): Promise<void>;
  /** Whether the user never wants to be asked about the folder, or one that it is in. */
  isRefused(folder: string): Promise<boolean>;
  refuse(folder: string): Promise<void>;
}

/** What is about to run in a folder. */
interface TrustNeed {
  readonly folder: string;
  /** The session's folder: it is asked about as a whole where `folder` is in it. */
  readonly workspace?: string;
  /** A sentence that says what would run, such as "cargo runs build scripts of this project." */
  readonly reason: string;
  /** Absent where there is nobody to ask. */
  readonly asker?: Asker | undefined;
}

/**
 * Whether code of a folder may run: what `trust.json` says, what the one who started this process vouches for, and what
 * the user answered. Reading a folder never needs it; whatever runs its code, or a tool that its files configure, does.
 */
export class FolderTrust {
  /** Real paths that count until this process ends. */
  readonly #trusted = new Set<string>();
  readonly #refused = new Set<string>();
  /** What is vouched for as it was when it was first looked at: a link that takes its place later leads nowhere. */
  readonly #vouchedPaths = new Map<string, string>();
  /** Questions that are open, by folder: nobody is asked twice. */
  readonly #asking = new Map<string, Promise<TrustAnswer>>();

  /** `vouched` are folders that whoever started this process trusts already, as an editor with a trust of its own does. */
  constructor(
    private readonly store: TrustStore,
    private readonly vouched: readonly string[] = [],
  ) {}

  /** Those of the folders that are vouched for, and are not there; the places of the others are settled from here on. */
  async missing(): Promise<readonly string[]> {
    const found = await Promise.all(this.vouched.map(async (one) => ({ one, real: await this.#vouchedPath(one) })));
    return found.flatMap(({ one, real }) => (real === undefined ? [one] : []));
  }

  /** Whether the folder is trusted as things are. Asks nobody. */
  async isTrusted(folder: string): Promise<boolean> {
    const real = await this.store.realPath(folder);
    return real !== undefined && this.#holds(real);
  }

  /** The same; where it is not, the user is asked, once for each folder. Rejects only where the answer cannot be kept. */
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
    // Whoever joined a question that another call gave up asks for itself.
    if (open && answer === "unanswered" && !asker.signal.aborted) return this.asked(need);
    if (answer === "always" && !open) await this.store.add(real);
    if (answer === "always" || answer === "once") this.#trusted.add(real);
    if (answer === "never" && !open) await this.store.refuse(real);
    if (answer === "no" || answer === "never") this.#refused.add(real);
    return answer === "always" || answer === "once";
  }

  /** Rejects with `folder-not-trusted`, and what to do, where the folder is not trusted in the end. */
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

/** What the user does about a folder that is not trusted. */
export function trustRemedy(folder: string): string {
  const quoted = /^[\w./\\:@+-]+$/.test(folder) ? folder : JSON.stringify(folder);
  return `If you trust who wrote it, run \`symposium-acp-agent trust ${quoted}\`.`;
}

/** `always` and `never` are kept, `once` and `no` hold until this process ends; `unanswered` where nobody chose anything. */
type TrustAnswer = "always" | "once" | "no" | "never" | "unanswered";

const options = {
  "trust-always": { name: "Trust this folder", kind: "allow_always", answer: "always" },
  "trust-once": { name: "Trust it until this program ends", kind: "allow_once", answer: "once" },
  "trust-no": { name: "Do not trust it", kind: "reject_once", answer: "no" },
  "trust-never": { name: "Never trust it, and do not ask again", kind: "reject_always", answer: "never" },
} as const;

/** Asks the user whether `folder` is to be trusted. `reason` is a sentence that says what would run. Never rejects. */
async function askForTrust(folder: string, reason: string, asker: Asker): Promise<TrustAnswer> {
  const chosen = await askUser(asker, {
    title: `Trust the folder ${folder}?`,
    text: `${reason} Code and configuration in this folder can then run programs as you. Trust it only if you trust who wrote it.`,
    options,
  });
  return chosen === undefined ? "unanswered" : options[chosen].answer;
}
