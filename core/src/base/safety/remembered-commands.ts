/**
 * Command patterns that a remembered answer may cover: program and verb with only the listed options. Options that run programs, write
 * files, read file lists or leave the workspace must not be listed.
 */
export interface RememberedCommand {
  /** Program and verb, such as `git diff`. */
  readonly words: readonly string[];
  /** Options without value: `-l`, `--stat`, and `-#` for a number such as `-5`. Letters may be combined, as in `-la`. */
  readonly flags: ReadonlySet<string>;
  /** Options with a value: `-n 5`, `-n5`, `--max-count=5`. */
  readonly valued: ReadonlySet<string>;
  /**
   * Allowed further arguments. `none`: none. `any`: names and workspace files. `no dashes`: like `any`, but nothing after `--`, which
   * another program would get. `script`: arguments of the project's script.
   */
  readonly operands: "none" | "any" | "no dashes" | "script";
  /** Description of the additional permission, shown after the words in the question. */
  readonly says: string;
}

const shows = "with workspace files and options that only change what is shown";
const builds = "which runs the project's own code, with workspace files and options that start nothing else";
const script = "which runs the project's own script, whatever the script does, with workspace files";

function command(
  names: string,
  flags: string,
  valued: string,
  says: string,
  operands: RememberedCommand["operands"] = "any",
): RememberedCommand[] {
  const setOf = (text: string): ReadonlySet<string> => new Set(text.split(" ").filter((word) => word !== ""));
  return names
    .split(", ")
    .map((name) => ({ words: name.split(" "), flags: setOf(flags), valued: setOf(valued), operands, says }));
}

const diffFlags =
  "-p -u -s --patch --no-patch --raw --stat --shortstat --numstat --summary --name-only --name-status --cached --staged " +
  "--check --color --no-color --word-diff --color-words --minimal --patience --histogram -w -b --ignore-all-space " +
  "--ignore-space-change --ignore-blank-lines -M --find-renames --no-renames --no-ext-diff --no-textconv --exit-code " +
  "-q --quiet -z --binary --full-index --abbrev -a --text --merge-base --follow";
const diffValued = "-U --unified --diff-filter -S -G --color --word-diff --stat --abbrev --diff-algorithm";
const logFlags =
  "-# --oneline --graph --all --branches --tags --remotes --decorate --no-decorate --no-merges --merges --first-parent " +
  "--reverse --topo-order --date-order --abbrev-commit --no-abbrev-commit --left-right --cherry-pick --boundary -i -E -F";
const logValued =
  "-n --max-count --skip --since --until --after --before --author --committer --grep --format --pretty --date --decorate";
const cargoFlags =
  "-r --release --all --workspace --lib --bins --tests --examples --benches --all-targets --all-features --doc -q -v -vv " +
  "--no-default-features --locked --offline --frozen --quiet --verbose --no-run --no-fail-fast --keep-going --no-deps";
const cargoValued =
  "-p --package --exclude --bin --test --example --bench -F --features --profile -j --jobs --message-format --color";
const scriptFlags = "-s --silent --if-present --watch --coverage --verbose --ci --bail";

/** Commands whose remembered answers may cover more than the identical command. */
export const rememberedCommands: readonly RememberedCommand[] = [
  ...command("git diff, git --no-pager diff", diffFlags, diffValued, shows),
  ...command(
    "git log, git show, git --no-pager log, git --no-pager show",
    `${diffFlags} ${logFlags}`,
    `${diffValued} ${logValued}`,
    shows,
  ),
  ...command(
    "git status",
    "-s --short -b --branch --porcelain --long -v -z --ignored --show-stash --ahead-behind --no-ahead-behind -u",
    "--porcelain --untracked-files --ignored",
    shows,
  ),
  ...command(
    "git blame",
    "-w -l -s -e -f -n -M --root --porcelain --line-porcelain",
    "-L --since --date --abbrev",
    shows,
  ),
  ...command("git shortlog", "-s -n -e --summary --numbered --email --all --no-merges", "--since --until", shows),
  ...command(
    "git ls-files",
    "-c -d -m -o -s -t -u -v -z --cached --deleted --modified --others --exclude-standard",
    "",
    shows,
  ),
  ...command("git ls-tree", "-d -r -t -l -z --name-only --full-tree", "", shows),
  ...command(
    "git rev-parse",
    "--short --verify --show-toplevel --abbrev-ref --is-inside-work-tree --git-dir -q",
    "--short",
    shows,
  ),
  ...command("git merge-base", "-a --all --is-ancestor", "", shows),
  ...command("git describe", "--tags --all --always --dirty --long --exact-match", "--abbrev --match", shows),
  ...command("git branch", "-a -r -v -vv --all --remotes --verbose --list --show-current", "", shows, "none"),
  ...command("git tag", "-l --list", "", shows, "none"),
  ...command("git remote", "-v --verbose", "", shows, "none"),
  ...command("git stash list", "", "", shows, "none"),
  ...command("git add", "-A -u -v -n --all --update --dry-run --verbose", "", "with files of the workspace"),
  ...command("git commit", "-a -q -v -s -am --all --quiet --signoff --no-edit --allow-empty", "-m --message", builds),

  ...command(
    "ls",
    "-1 -a -A -d -F -g -G -h -i -l -n -o -p -q -r -R -s -S -t -u -U -x -X --all --almost-all --human-readable --recursive",
    "--color --sort --time-style",
    shows,
  ),
  ...command("cat, nl", "-A -b -e -E -n -s -t -T -v", "", "with files of the workspace"),
  ...command("head, tail", "-# -q -v", "-n -c --lines --bytes", "with files of the workspace"),
  ...command("wc", "-c -m -l -L -w --bytes --chars --lines --words", "", "with files of the workspace"),
  ...command(
    "grep",
    "-n -i -v -c -l -L -w -x -E -F -G -P -o -h -H -q -s -# --line-number --ignore-case --count --color",
    "-A -B -C -m -e --after-context --before-context --context --max-count --color",
    "with workspace files that it names, not whole folders",
  ),
  ...command("cut", "-s", "-b -c -d -f --delimiter --fields", "with files of the workspace"),
  ...command("file", "-b -i -h -L --brief --mime --mime-type", "", "with files of the workspace"),
  ...command("stat", "-f -L -t -x", "-c --format --printf", "with files of the workspace"),
  ...command("du", "-a -b -c -h -k -m -s -x --all --human-readable --summarize --total", "-d --max-depth", shows),
  ...command("tree", "-a -d -f -h -i -p -s -D -F --dirsfirst --noreport", "-L -I -P --filelimit", shows),
  ...command("pwd", "-L -P", "", "wherever it is", "none"),
  ...command("whoami, true", "", "", "alone", "none"),
  ...command("uname", "-a -m -n -o -p -r -s -v", "", shows, "none"),
  ...command("which", "-a", "", "with names of programs"),
  ...command(
    "basename, dirname, echo",
    "-n -e -E -a -z",
    "-s",
    "with any words that have no special meaning to a shell",
  ),

  ...command("cargo build, cargo check, cargo clippy, cargo doc", cargoFlags, cargoValued, builds, "no dashes"),
  ...command("cargo test, cargo bench", cargoFlags, cargoValued, builds, "script"),
  ...command("cargo fmt", "--check --all -q --quiet", "-p --package", builds, "no dashes"),
  ...command(
    "cargo tree, cargo metadata",
    `${cargoFlags} -d -i --duplicates`,
    `${cargoValued} --depth -e --edges`,
    shows,
  ),
  ...command("go build, go vet", "-v -race -trimpath", "-tags -p", builds),
  ...command(
    "go test",
    "-v -race -short -cover -failfast -json -benchmem",
    "-run -skip -bench -benchtime -count -timeout -tags -p -parallel -cpu -shuffle",
    builds,
  ),

  ...command("npm test, npm t, pnpm test, pnpm t, yarn test", scriptFlags, "", script, "script"),
  ...command("npm run *, npm run-script *, pnpm run *", scriptFlags, "", script, "script"),
  ...command("bun test", "--watch --coverage --bail", "-t --timeout --test-name-pattern", builds),

  ...command("eslint", "--fix --quiet --cache --color --no-color", "--ext --max-warnings", builds),
  ...command("prettier", "-c -l -w --check --list-different --write --no-color", "", builds),
  ...command(
    "tsc",
    "-b -w --build --watch --noEmit --pretty --incremental --force --verbose",
    "-p --project --pretty",
    builds,
  ),
  ...command(
    "jest",
    "-i -b --runInBand --verbose --silent --coverage --bail --ci --watch",
    "-t --testNamePattern",
    builds,
  ),
  ...command(
    "mocha",
    "-b -w --bail --watch --parallel --exit --recursive",
    "-g -f --grep --fgrep -t --timeout",
    builds,
  ),
  ...command("vitest", "--run --watch --coverage", "-t --testNamePattern", builds),
  ...command(
    "pytest",
    "-q -v -vv -x -s -l --quiet --verbose --exitfirst --lf --ff --last-failed --failed-first --collect-only",
    "-k -m --maxfail --tb --durations",
    builds,
  ),
  ...command("ruff check, ruff format", "--fix --diff --check -q --quiet", "--select --ignore", builds),
  ...command("mypy", "--strict --pretty --show-error-codes", "", builds),
  ...command("rustfmt", "--check -q --quiet", "--edition", builds),
];
