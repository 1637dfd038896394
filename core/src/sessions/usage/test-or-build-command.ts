/** Programs that only test, check or compile. */
const runners = wordSet(
  "vitest jest mocha ava tap playwright cypress karma pytest py.test tox nox ctest phpunit rspec tsc vue-tsc svelte-check " +
    "eslint oxlint mypy pyright basedpyright pylint flake8 golangci-lint staticcheck ninja gcc g++ clang clang++ javac rustc",
);
/** Subcommands that test, check or build, by the program that they belong to. */
const verbs: Readonly<Record<string, RegExp>> = {
  go: /^(?:test|vet|build)$/,
  cargo: /^(?:test|t|nextest|check|c|build|b|clippy)$/,
  ruff: /^check$/,
  biome: /^(?:check|lint|ci)$/,
  deno: /^(?:test|lint|check)$/,
  bun: /^test$/,
  dotnet: /^(?:test|build)$/,
  swift: /^(?:test|build)$/,
};
/** Build tools with targets; without a target, they build the default. */
const builders = wordSet("make gmake mvn mvnw gradle gradlew");
const managers = wordSet("npm pnpm yarn bun deno turbo nx lerna rush");
/** Matches names of scripts and targets that test, check or build, such as `test:unit` or `type-check`. */
const target =
  /^(?:t|tst|tests?|unit|e2e|lint|typecheck|type-check|types|check|build|all|compile|verify|package|assemble)(?:[:.-].*)?$/;
/** Programs that start the program named in their arguments. */
const wrappers = wordSet("time timeout nice nohup env sudo xvfb-run cross-env dotenv npx pnpx bunx uvx stdbuf exec");
/** Subcommands that start the program named in the next arguments. */
const wrappingVerbs: Readonly<Record<string, RegExp>> = {
  npm: /^(?:exec|x)$/,
  pnpm: /^(?:exec|dlx)$/,
  yarn: /^(?:exec|dlx|run)$/,
  uv: /^run$/,
  poetry: /^run$/,
  pipenv: /^run$/,
  hatch: /^run$/,
  conda: /^run$/,
};
const pythonModule = /^(?:pytest|unittest|mypy|ruff|tox|nox|pylint|pyright)$/;
const deepest = 4;

/** Returns whether a command line may contain a program that tests or builds; a cheap check before parsing. */
export function mayHaveRun(text: string): boolean {
  return mayRun.test(text);
}

const mayRun = new RegExp(
  `(?<!\\w)(?:python|node|${[...runners, ...builders, ...managers, ...Object.keys(verbs)].join("|").replace(/[+.]/g, "\\$&")})(?![a-z])`,
);

/** Returns whether a command tests, checks or builds, as do Symposium's tools `run_tests`, `check` and those for cargo. */
export function isRun(words: readonly string[], depth = 0): boolean {
  const [path = "", ...rest] = words;
  const name = path.replace(/^.*[\\/]/, "").replace(/(?:\.(?:exe|cmd|bat|[cm]?js)|@[\w.^~-]*)$/, "");
  const operands = rest.filter((word) => !/^[-+]/.test(word));
  const [first = ""] = operands;
  if (depth > deepest || (rest.length === 1 && /^(?:--version|-V|-v|--help|-h|version|help)$/.test(rest[0] ?? "")))
    return false;
  if (runners.has(name) || verbs[name]?.test(first) === true) return true;
  if (builders.has(name)) return first === "" || operands.some(isTarget);
  if (/^python[\d.]*$/.test(name)) return rest[0] === "-m" && pythonModule.test(rest[1] ?? "");
  if (name === "node") return rest.includes("--test") || (/node_modules/.test(first) && isRun(operands, depth + 1));
  if (wrappers.has(name)) return wrapped(rest).some((inner) => isRun(inner, depth + 1));
  if (
    wrappingVerbs[name]?.test(first) === true &&
    wrapped(operands.slice(1)).some((inner) => isRun(inner, depth + 1))
  ) {
    return true;
  }
  if (!managers.has(name)) return false;
  const named = operands.filter((word) => !/^run(?:-script|-many)?$/.test(word));
  return isTarget(named[0] ?? "") || runners.has(named[0] ?? "");
}

/** Returns whether a word is such a target. The target may have a prefix, as in `web:test` (nx) and `:app:test` (Gradle). */
function isTarget(word: string): boolean {
  return target.test(word) || target.test(word.slice(word.lastIndexOf(":") + 1));
}

/** Returns the possible commands in a wrapper's arguments, after options, values and variables, as in `timeout 60 npm test`. */
function wrapped(words: readonly string[]): readonly (readonly string[])[] {
  const starts = words.flatMap((word, index) => (/^-|^\w+=/.test(word) ? [] : [words.slice(index)]));
  return starts.slice(0, 3);
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
