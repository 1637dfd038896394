/** Programs that do nothing but test, check or compile. */
const runners = wordSet(
  "vitest jest mocha ava tap playwright cypress karma pytest py.test tox nox ctest phpunit rspec tsc vue-tsc svelte-check " +
    "eslint oxlint mypy pyright basedpyright pylint flake8 golangci-lint staticcheck ninja gcc g++ clang clang++ javac rustc",
);
/** Of programs with many uses: the first words with which they test, check or build. */
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
/** What builds by targets, or, without one, what there is. */
const builders = wordSet("make gmake mvn mvnw gradle gradlew");
const managers = wordSet("npm pnpm yarn bun deno turbo nx lerna rush");
/** Scripts and targets that are named after what they do: `test:unit`, `type-check`. */
const target =
  /^(?:t|tst|tests?|unit|e2e|lint|typecheck|type-check|types|check|build|all|compile|verify|package|assemble)(?:[:.-].*)?$/;
/** What starts the program that the rest of its words name. */
const wrappers = wordSet("time timeout nice nohup env sudo xvfb-run cross-env dotenv npx pnpx bunx uvx stdbuf exec");
/** The same, where their first word says so. */
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

/** Whether it is worth finding the programs of a command line: most name none of these. */
export function mayHaveRun(text: string): boolean {
  return mayRun.test(text);
}

const mayRun = new RegExp(
  `(?<!\\w)(?:python|node|${[...runners, ...builders, ...managers, ...Object.keys(verbs)].join("|").replace(/[+.]/g, "\\$&")})(?![a-z])`,
);

/** Whether a program with these words tests, checks or builds: what `run_tests`, `check` and cargo's tools do, too. */
export function isRun(words: readonly string[], depth = 0): boolean {
  const [path = "", ...rest] = words;
  const name = path.replace(/^.*[\\/]/, "").replace(/(?:\.(?:exe|cmd|bat|[cm]?js)|@[\w.^~-]*)$/, "");
  const operands = rest.filter((word) => !/^[-+]/.test(word));
  const [first = ""] = operands;
  if (depth > deepest || asksAboutItself(rest)) return false;
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

/** Also `web:test` of nx, and `:app:test` of Gradle. */
function isTarget(word: string): boolean {
  return target.test(word) || target.test(word.slice(word.lastIndexOf(":") + 1));
}

/** What a wrapper's words may start: its own options, values and variables stand before that, as in `timeout 60 npm test`. */
function wrapped(words: readonly string[]): readonly (readonly string[])[] {
  const starts = words.flatMap((word, index) => (/^-|^\w+=/.test(word) ? [] : [words.slice(index)]));
  return starts.slice(0, 3);
}

function asksAboutItself(words: readonly string[]): boolean {
  return words.length === 1 && /^(?:--version|-V|-v|--help|-h|version|help)$/.test(words[0] ?? "");
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
