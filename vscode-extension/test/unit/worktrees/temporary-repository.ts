import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { UserGit } from "../../../src/features/worktrees/user-git.js";
import { Worktrees } from "../../../src/features/worktrees/worktrees.js";

/** A repository with real Git in a folder of its own, and what makes worktrees of it. */
export class TemporaryRepository implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), "symposium worktrees ")));
  readonly top = join(this.base, "shop");
  readonly git = new UserGit(
    () => [this.top],
    () => true,
  );
  readonly worktrees = new Worktrees(this.git, () => [this.top], join(this.base, "ours"));

  constructor(files: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.top);
    this.run("init", "--quiet", "--initial-branch=main");
    this.run("config", "user.name", "Tester");
    this.run("config", "user.email", "tester@example.org");
    if (Object.keys(files).length > 0) this.commit(files);
  }

  run(...args: readonly string[]): string {
    return this.runIn(this.top, ...args);
  }

  runIn(folder: string, ...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  /** Writes files and commits everything. */
  commit(files: Readonly<Record<string, string>>, folder = this.top): void {
    for (const [path, text] of Object.entries(files)) this.write(join(folder, path), text);
    this.runIn(folder, "add", "--all");
    this.runIn(folder, "commit", "--quiet", "--message", "files");
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  read(path: string): string {
    return readFileSync(path, "utf8");
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}
