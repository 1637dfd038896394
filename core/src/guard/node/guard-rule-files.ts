import { systemCode } from "../../base/node/atomic-write.js";
import { statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isInside } from "../../base/node/folders.js";
import { messageOf } from "../../base/symposium-error.js";
import { configFolder } from "../../base/node/own-program.js";
import { foldersOfProject, projectFolderName, sharedFolder } from "../../settings/project/node/find-project.js";
import { worktreePart } from "../../settings/project/node/same-folder-in-worktree.js";
import type { Budget } from "../budget.js";
import type { GuardFile, GuardRule } from "../guard-rule.js";
import { organisationRules } from "./organisation-rules.js";
import { loadUntrustedText } from "../../base/node/read-untrusted-file.js";

/** Name of guard files. They are next to config.jsonc, and in the `.symposium` folder of a repository. */
export const guardFileName = "guard.jsonc";

const maxBytes = 1024 * 1024;

/** The rules that apply in a folder. */
export interface GuardRules extends GuardFile {
  /** Whether the user's file is completely or partly unreadable, so that some of its deny rules may be unknown. */
  readonly isBroken: boolean;
}

const noRules: GuardFile = { rules: [], mayLackRules: false, budgets: [], levels: [], problems: [], notes: [] };

interface Kept {
  readonly stamp: string;
  readonly file: GuardFile;
}

/** Reads guard files and caches them until they change. */
export class GuardFiles {
  readonly #kept = new Map<string, Kept>();
  /** Paths of possible guard files by working directory, for sessions whose budgets have been requested. */
  readonly #projectFiles = new Map<string, readonly string[]>();

  /** Path of the user's file. */
  readonly #own: string;
  #organisation: ReturnType<GuardFiles["organisation"]> | undefined;

  /** `config` is the folder of the user's config.jsonc; `home` is the home folder, which isn't a project. */
  constructor(
    config = configFolder(),
    private readonly home = homedir(),
  ) {
    this.#own = join(config, guardFileName);
  }

  /**
   * Returns the rules for sessions in `cwd`: those of the organisation, of the user, and of each folder up to the repository root. Includes
   * rules for a particular agent only if `isAgent` accepts its name (by default, none). Never rejects.
   */
  async rulesFor(cwd: string, isAgent: (name: string) => boolean = () => false): Promise<GuardRules> {
    const folders = foldersOfProject(cwd, this.home);
    const [organisation, user] = await Promise.all([this.organisation(), this.own()]);
    const project = await Promise.all(this.#filesIn(folders).map((file) => this.#read(file, true)));
    const files = [organisation, user, ...project];
    const all = files
      .flatMap(({ rules }) => rules)
      .filter((rule) => (rule.agent === undefined || isAgent(rule.agent)) && !organisation.ignores(rule));
    return {
      rules: await this.#holding(all, cwd, folders.at(-1)),
      mayLackRules: files.some(({ mayLackRules }) => mayLackRules),
      budgets: files.flatMap(({ budgets }) => budgets),
      levels: user.levels,
      problems: files.flatMap(({ problems }) => problems),
      notes: user.notes,
      isBroken: user.problems.length > 0,
    };
  }

  /**
   * Returns the budgets for sessions in `cwd` from the user's and the project's guard files; never rejects. Called with each prompt, so it
   * searches for folders only once, but always notices changed files.
   */
  async budgetsFor(cwd: string): Promise<readonly Budget[]> {
    const others = this.#projectFiles.get(cwd) ?? this.#filesIn(foldersOfProject(cwd, this.home));
    // Don't cache an empty result, since a missing folder may be created later.
    if (others.length > 0) this.#projectFiles.set(cwd, others);
    const files = await Promise.all([this.own(), ...others.map((file) => this.#read(file, true))]);
    return files.flatMap(({ budgets }) => budgets);
  }

  /**
   * Returns the rules of the organisation's policy, and which other rules it ignores. Never rejects: no agent starts with an invalid policy.
   */
  organisation(): Promise<GuardFile & { readonly ignores: (rule: GuardRule) => boolean }> {
    return (this.#organisation ??= organisationRules().then(
      (found) => ({ ...noRules, ...found }),
      () => ({ ...noRules, mayLackRules: true, ignores: () => true }),
    ));
  }

  /** Returns the content of the user's own guard file. Never rejects. */
  own(): Promise<GuardFile> {
    return this.#read(this.#own, false);
  }

  /** Returns the paths at which a project can have guard files. */
  #filesIn(folders: readonly string[]): readonly string[] {
    return folders.map((folder) => join(folder, projectFolderName, guardFileName)).filter((file) => file !== this.#own);
  }

  /**
   * Selects the rules that apply to sessions in `cwd`; `top` is the top folder of its repository. Deny and ask rules for a folder also
   * apply in other worktrees of the same repository, for example in the separate worktree of a chat.
   */
  async #holding(rules: readonly GuardRule[], cwd: string, top: string | undefined): Promise<readonly GuardRule[]> {
    if (rules.length === 0) return rules;
    const real = await realpath(cwd).catch(() => cwd);
    const wholeOf = (folder: string): string => folder.replace(/^~(?=\/)/, () => this.home);
    const isHere = ({ in: folder }: GuardRule): boolean =>
      folder === undefined || [cwd, real].some((one) => isInside(one, wholeOf(folder)));
    const elsewhere = new Set(
      rules.flatMap((rule) => (rule.effect === "allow" || isHere(rule) ? [] : (rule.in ?? []))),
    );
    const meant = new Set<string>();
    const shared = top === undefined || elsewhere.size === 0 ? undefined : await sharedFolder(top);
    if (top !== undefined && shared !== undefined && shared !== top && shared !== join(top, ".git")) {
      const inMain = join(dirname(shared), relative(top, real));
      for (const folder of elsewhere) {
        const whole = await realpath(wholeOf(folder)).catch(() => wholeOf(folder));
        const part = isInside(inMain, whole) ? real : await worktreePart(top, whole, this.home);
        if (part !== undefined && isInside(real, part)) meant.add(folder);
      }
    }
    return rules.filter((rule) => isHere(rule) || (rule.effect !== "allow" && meant.has(rule.in ?? "")));
  }

  async #read(path: string, isOfProject: boolean): Promise<GuardFile> {
    try {
      const stats = statSync(path, { throwIfNoEntry: false });
      if (!stats) return noRules;
      // Reject other kinds of files, since a repository could contain a link to a device.
      if (!stats.isFile() || stats.size > maxBytes) throw new Error(`it isn't a file of at most ${maxBytes} bytes`);
      const { mtimeMs, ctimeMs, size } = stats;
      const stamp = `${mtimeMs}:${ctimeMs}:${size}`;
      const kept = this.#kept.get(path);
      if (kept?.stamp === stamp) return kept.file;
      // Load the parser on demand, since most users have no guard file.
      const { parseGuardFile } = await import("../guard-rule.js");
      const file = parseGuardFile(await loadUntrustedText(path, maxBytes), { file: path, isOfProject });
      this.#kept.set(path, { stamp, file });
      return file;
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return noRules;
      const levels = isOfProject ? [] : [{ agent: "*", level: undefined, place: path }];
      const problems = [`${path} cannot be read: ${messageOf(error)}`];
      return { rules: [], mayLackRules: true, budgets: [], levels, problems, notes: [] };
    }
  }
}
