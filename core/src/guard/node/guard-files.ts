import { systemCode } from "../../base/node/atomic-write.js";
import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join, relative } from "node:path";
import { isInside } from "../../base/node/folders.js";
import { messageOf } from "../../base/symposium-error.js";
import { configFolder } from "../../base/node/own-program.js";
import { foldersOfProject, projectFolderName, sharedFolder } from "../../settings/project/node/find-project.js";
import { worktreePart } from "../../settings/project/node/worktree-part.js";
import type { Budget } from "../budget.js";
import type { GuardFile, GuardRule } from "../guard-rule.js";
import { loadUntrustedText } from "../../base/node/read-untrusted-file.js";

/** The name of a file of rules, beside config.jsonc and in a repository's `.symposium`. */
export const guardFileName = "guard.jsonc";

const maxBytes = 1024 * 1024;

/** The rules that hold in a folder. */
export interface GuardRules extends GuardFile {
  /** The user's own file cannot be read, in whole or in part: what it would have refused is not known. */
  readonly isBroken: boolean;
}

const noRules: GuardFile = { rules: [], mayLackRules: false, budgets: [], levels: [], problems: [], notes: [] };

interface Kept {
  readonly stamp: string;
  readonly file: GuardFile;
}

/** Reads files of rules, again where they have changed. */
export class GuardFiles {
  readonly #kept = new Map<string, Kept>();
  /** Of sessions whose budgets were asked for: where their project's rules may stand. */
  readonly #projectFiles = new Map<string, readonly string[]>();

  /** The user's own. */
  readonly #own: string;

  /** `config` is the folder of the user's config.jsonc; `home` the user's own folder, which is no project. */
  constructor(
    config = configFolder(),
    private readonly home = homedir(),
  ) {
    this.#own = join(config, guardFileName);
  }

  /**
   * The rules for sessions in `cwd`: the user's, and those of each folder up to the repository's root. Of rules for one agent those
   * whose agent `isAgent` knows by its name; none where it is absent. Never rejects.
   */
  async rulesFor(cwd: string, isAgent: (name: string) => boolean = () => false): Promise<GuardRules> {
    const folders = await foldersOfProject(cwd, this.home);
    const user = await this.own();
    const project = await Promise.all(this.#filesIn(folders).map((file) => this.#read(file, true)));
    const files = [user, ...project];
    const all = files.flatMap(({ rules }) => rules).filter((rule) => rule.agent === undefined || isAgent(rule.agent));
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
   * The budgets for sessions in `cwd`, of the same files as their rules. They are asked for with each prompt: the folders up to
   * the repository's root are looked for once, and what has changed in their files is seen each time. Never rejects.
   */
  async budgetsFor(cwd: string): Promise<readonly Budget[]> {
    const others = this.#projectFiles.get(cwd) ?? this.#filesIn(await foldersOfProject(cwd, this.home));
    // A folder that is not there has none yet.
    if (others.length > 0) this.#projectFiles.set(cwd, others);
    const files = await Promise.all([this.own(), ...others.map((file) => this.#read(file, true))]);
    return files.flatMap(({ budgets }) => budgets);
  }

  /** The user's own, whatever the folder. Never rejects. */
  own(): Promise<GuardFile> {
    return this.#read(this.#own, false);
  }

  /** Where rules of a project with these folders may stand. */
  #filesIn(folders: readonly string[]): readonly string[] {
    return folders.map((folder) => join(folder, projectFolderName, guardFileName)).filter((file) => file !== this.#own);
  }

  /**
   * Those for sessions in `cwd`, of which `top` is the topmost folder. What tightens in a folder holds in the other worktrees of its repository,
   * too, such as one that a chat has for itself, which may lie anywhere.
   */
  async #holding(rules: readonly GuardRule[], cwd: string, top: string | undefined): Promise<readonly GuardRule[]> {
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
      const stats = await stat(path);
      // A repository may have a link to a device there.
      if (!stats.isFile() || stats.size > maxBytes) throw new Error(`it is no file of at most ${maxBytes} bytes`);
      const { mtimeMs, ctimeMs, size } = stats;
      const stamp = `${mtimeMs}:${ctimeMs}:${size}`;
      const kept = this.#kept.get(path);
      if (kept?.stamp === stamp) return kept.file;
      // Most users have none, and their sessions open without its parsers.
      const { parseGuardFile } = await import("../guard-rule.js");
      const file = parseGuardFile(await loadUntrustedText(path, maxBytes), { file: path, isOfProject });
      this.#kept.set(path, { stamp, file });
      return file;
    } catch (error) {
      const isMissing = ["ENOENT", "ENOTDIR"].includes(systemCode(error));
      if (isMissing) return noRules;
      const levels = isOfProject ? [] : [{ agent: "*", level: undefined, place: path }];
      const problems = [`${path} cannot be read: ${messageOf(error)}`];
      return { rules: [], mayLackRules: true, budgets: [], levels, problems, notes: [] };
    }
  }
}
