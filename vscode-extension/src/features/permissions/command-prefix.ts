/** Programs whose subcommand says what they do, and after how many words that is clear. */
const subcommands: Readonly<Record<string, number>> = {
  cargo: 2,
  docker: 2,
  dotnet: 2,
  gh: 3,
  git: 2,
  go: 2,
  gradle: 2,
  kubectl: 2,
  mvn: 2,
  rustup: 2,
};
/** Package programs: their scripts are named by another word. */
const scriptRunners: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const scriptVerbs: ReadonlySet<string> = new Set(["run", "run-script"]);
/** They run any program, so the words before it say nothing. */
const launchingVerbs: ReadonlySet<string> = new Set(["exec", "x", "dlx", "create", "init", "eval"]);
/** Programs that only report, whatever their arguments are. */
const reporters: ReadonlySet<string> = new Set(
  "basename cat cut date dirname du echo file grep head ls nl pwd stat tail tree true uname wc which whoami".split(" "),
);
/** Tools that build or check the project they stand in; what they run is in the project itself. */
const projectTools: ReadonlySet<string> = new Set(
  "eslint jest make mocha mypy prettier pytest ruff rustfmt tsc vitest".split(" "),
);

/**
 * How many words of `words` a rule should fix so that it means one kind of work, e.g. 2 of `npm test --watch`.
 * Undefined where only the whole command means something, as with interpreters.
 */
export function prefixLength(words: readonly string[]): number | undefined {
  const [program = "", first = "", second = ""] = words;
  if (reporters.has(program) || projectTools.has(program)) return 1;
  if (isOption(first)) return undefined;
  if (launchingVerbs.has(first)) return undefined;
  if (scriptRunners.has(program)) {
    if (first === "") return undefined;
    if (!scriptVerbs.has(first)) return 2;
    return second === "" || isOption(second) ? undefined : 3;
  }
  const length = Object.hasOwn(subcommands, program) ? subcommands[program] : undefined;
  if (length === undefined || words.length < length) return undefined;
  return words.slice(1, length).some(isOption) ? undefined : length;
}

function isOption(word: string): boolean {
  return word.startsWith("-");
}
