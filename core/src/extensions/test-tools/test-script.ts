import { parseShellWords } from "../../base/shell-words.js";

export type ScriptRunner = "vitest" | "jest" | "mocha" | "playwright" | "node" | "bun";

type InstalledRunner = Exclude<ScriptRunner, "node" | "bun">;

/** The command with which a test script starts a test runner, in parsed form. */
export interface TestScript {
  readonly runner: ScriptRunner;
  /** Options for Node that precede the test runner's program; for `node --test`, all options. */
  readonly nodeWords: readonly ScriptWord[];
  /** Arguments of the runner, without vitest's subcommand. */
  readonly words: readonly ScriptWord[];
  readonly env: Readonly<Record<string, string>>;
  /** Coverage tool that starts the test runner. The tool can fail a run even if all tests passed. */
  readonly counter?: LineCounter;
}

/** A program that starts a test runner and measures coverage. */
export interface LineCounter {
  readonly name: "c8" | "nyc";
  /** Options of the coverage tool. Other settings, such as thresholds, are in its configuration file. */
  readonly words: readonly string[];
}

export interface ScriptWord {
  readonly text: string;
  /** Whether the word is an unquoted pattern that a shell expands to paths. */
  readonly isPattern: boolean;
}

/** Maximum nesting of scripts that run other scripts. */
const maxDepth = 5;

/**
 * Parses how `scripts[name]` starts a test runner, directly or through another script. Returns undefined unless the script is a simple
 * command of a supported test runner.
 */
export function readTestScript(
  scripts: Readonly<Record<string, string>>,
  name = "test",
  depth = 0,
): TestScript | undefined {
  const text = Object.hasOwn(scripts, name) ? scripts[name] : undefined;
  const command = text === undefined ? undefined : simpleCommand(text);
  if (!command) return undefined;
  const next = scriptRunBy(command.words.map((word) => word.text));
  if (next !== undefined && Object.hasOwn(scripts, next)) {
    const script = depth < maxDepth ? readTestScript(scripts, next, depth + 1) : undefined;
    return script && { ...script, ...counterOf(command), env: { ...command.env, ...script.env } };
  }
  const found = runnerOf(command);
  return found && { ...found, ...counterOf(command) };
}

function counterOf({ counter }: SimpleCommand): Pick<TestScript, "counter"> {
  return counter === undefined ? {} : { counter };
}

type SimpleCommand = Pick<TestScript, "words" | "env" | "counter">;

/**
 * Splits a command line into words. Returns undefined if a shell would do more than split words, remove quotes and expand file patterns.
 */
function simpleCommand(text: string): SimpleCommand | undefined {
  const bare = text.replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, "\0");
  const quoted = text.match(/"(?:[^"\\]|\\.)*"/gs)?.join("") ?? "";
  if (/[;&|<>()#{}[\]!\n]|(?:^|\s)~/.test(bare) || /[$`]/.test(bare + quoted)) return undefined;
  const parsed = parseShellWords(text);
  if (parsed.kind !== "command") return undefined;
  const plain = new Set(bare.split(/\s+/));
  const { command, args, env } = parsed.command;
  const words = [command, ...args].map((word) => ({ text: word, isPattern: /[*?]/.test(word) && plain.has(word) }));
  return withoutPrefix({ words, env });
}

/** Programs that can start a test runner with variables or options that matter. */
const startsRunner = /^(?:npx|bunx|npm|pnpm|yarn|cross-env|env|node|tsx)$/;

/** Removes leading words that locate the test runner, set variables or measure coverage. */
function withoutPrefix({ words, env }: SimpleCommand): SimpleCommand {
  const [first, second, third] = words.map(({ text }) => text);
  if (first === "npx" || first === "bunx") {
    const options = words.slice(1).findIndex(({ text }) => !/^(?:--yes|-y|--no|--no-install|--)$/.test(text));
    return options === -1 ? { words, env } : withoutPrefix({ words: words.slice(1 + options), env });
  }
  const isExec = (first === "pnpm" || first === "yarn" || first === "npm") && second === "exec";
  if (isExec) return withoutPrefix({ words: words.slice(third === "--" ? 3 : 2), env });
  if (first === "cross-env" || first === "env") {
    const count = words.slice(1).findIndex(({ text }) => !/^\w+=/.test(text));
    const set = words.slice(1, 1 + count).map(({ text }) => [text.replace(/=.*/s, ""), text.replace(/^\w+=/, "")]);
    return count === -1
      ? { words, env }
      : withoutPrefix({ words: words.slice(1 + count), env: { ...env, ...fromPairs(set) } });
  }
  if (first !== "c8" && first !== "nyc") return { words, env };
  // Search for the program after the tool's options, so that the options' syntax needn't be known.
  const found = words.findIndex(({ text }) => runnerAt(text) !== undefined || startsRunner.test(text));
  const at = second?.startsWith("-") === true ? found : 1;
  if (at === -1) return { words, env };
  const counter: LineCounter = { name: first, words: words.slice(1, at).map(({ text }) => text) };
  return { ...withoutPrefix({ words: words.slice(at), env }), counter };
}

function fromPairs(pairs: readonly (readonly string[])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
}

/** Returns the script that `npm run NAME` or a similar command runs. */
function scriptRunBy([program, ...words]: readonly string[]): string | undefined {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program ?? "")) return undefined;
  const [verb, name] = words;
  if ((verb === "run" || verb === "run-script") && words.length === 2) return name;
  // `bun test` always starts bun's test runner, even if there is a script named `test`.
  const isRunner = program === "bun" && verb === "test";
  return program !== "npm" && words.length === 1 && !isRunner ? verb : undefined;
}

function runnerOf({ words, env }: SimpleCommand): TestScript | undefined {
  const [program, ...rest] = words;
  if (!program || rest.some(({ text }) => text === "--")) return undefined;
  const name = runnerAt(program.text);
  if (name !== undefined) return withRunner(name, [], rest, env);
  // According to tsx's documentation, `tsx` is equivalent to `node --import tsx`.
  if (program.text === "tsx") {
    const nodeWords = [plainWord("--import"), plainWord("tsx"), ...rest];
    return rest.some(({ text }) => text === "--test") ? nodeTest(nodeWords, env) : undefined;
  }
  if (program.text === "bun" && rest[0]?.text === "test") {
    return { runner: "bun", nodeWords: [], words: rest.slice(1), env };
  }
  if (program.text !== "node") return undefined;
  if (rest.some(({ text }) => text === "--test")) return nodeTest(rest, env);
  const at = rest.findIndex(({ text }) => runnerAt(text) !== undefined && text.includes("/"));
  const named = runnerAt(rest[at]?.text ?? "");
  return named === undefined ? undefined : withRunner(named, rest.slice(0, at), rest.slice(at + 1), env);
}

function nodeTest(words: readonly ScriptWord[], env: SimpleCommand["env"]): TestScript {
  return { runner: "node", nodeWords: words.filter(({ text }) => text !== "--test"), words: [], env };
}

function plainWord(text: string): ScriptWord {
  return { text, isPattern: false };
}

/** Returns the test runner that a program starts. Accepts `mocha`, `node_modules/.bin/mocha` and `./node_modules/mocha/bin/_mocha.js`. */
function runnerAt(program: string): InstalledRunner | undefined {
  if (program.includes("/") && !/(?:^|\/)node_modules\//.test(program)) return undefined;
  const [, name] = /(?:^|\/)_?(vitest|jest|mocha|playwright)(?:\.[cm]?js)?$/.exec(program) ?? [];
  return name === "vitest" || name === "jest" || name === "mocha" || name === "playwright" ? name : undefined;
}

function withRunner(
  runner: InstalledRunner,
  nodeWords: readonly ScriptWord[],
  given: readonly ScriptWord[],
  env: SimpleCommand["env"],
): TestScript | undefined {
  // Playwright also has subcommands that don't run tests.
  if (runner === "playwright") {
    return given[0]?.text === "test" ? { runner, nodeWords, words: given.slice(1), env } : undefined;
  }
  if (runner !== "vitest") return { runner, nodeWords, words: given, env };
  const at = firstPositional(
    runner,
    given.map(({ text }) => text),
  );
  const verb = given[at]?.text ?? "";
  if (/^(?:bench|list|related|init|typecheck)$/.test(verb)) return undefined;
  const words = /^(?:run|watch|dev)$/.test(verb) ? given.filter((_word, index) => index !== at) : given;
  return { runner, nodeWords, words, env };
}

/** Returns the index of the first word that is neither an option nor an option's value, or the number of words if there is none. */
export function firstPositional(runner: ScriptRunner, words: readonly string[]): number {
  let at = 0;
  for (const part of partsOf(grammars[runner], words)) {
    if (part.option === undefined) break;
    at += part.words.length;
  }
  return at;
}

/** The part of a test runner's argument syntax that matters here. */
interface Grammar {
  /** Options without a value, or options with one, whichever are fewer; see `takesWord`. */
  readonly listed: RegExp;
  /** Whether the options in `listed` have a value. */
  readonly takesWord: boolean;
  /** Options that take all words up to the next option. */
  readonly many?: RegExp;
  /** Options that would keep the run from ending or replace Symposium's reporter. */
  readonly never: RegExp;
  /** Options that select files. They are dropped if the tool call selects files. */
  readonly files?: RegExp;
  /** Options that select tests by name. */
  readonly names: RegExp;
}

const grammars: Readonly<Record<ScriptRunner, Grammar>> = {
  mocha: {
    listed:
      /^(?:--(?:allow-uncaught|async-only|bail|check-leaks|clear-screen|colors?|delay|diff|dry-run|enable-source-maps|exit|fail-hook-affected-tests|fail-zero|forbid-only|forbid-pending|full-trace|inline-diffs|invert|list-interfaces|list-reporters|parallel|pass-on-failing-test-suite|posix-exit-codes|recursive|sort|watch)|-[AbCcipSw])$/,
    takesWord: false,
    never: /^(?:--watch|-w|--reporter|-R|--reporter-options?|-O)$/,
    files: /^--spec$/,
    names: /^(?:--grep|-g|--fgrep|-f|--invert|-i)$/,
  },
  jest: {
    listed:
      /^(?:--(?:all|automock|bail|cache|changedFilesWithAncestor|ci|clearCache|clearMocks|collectCoverage|collectTests|colors?|coverage|debug|detectLeaks|detectOpenHandles|errorOnDeprecated|expand|findRelatedTests|forceExit|injectGlobals|json|lastCommit|listTests|logHeapUsage|noStackTrace|notify|onlyChanged|onlyFailures|passWithNoTests|randomize|resetMocks|resetModules|restoreMocks|runInBand|runTestsByPath|showConfig|showSeed|silent|skipFilter|testLocationInResults|updateSnapshot|useStderr|verbose|waitForUnhandledRejections|watch|watchAll|watchman|workerThreads)|-[befiou])$/,
    takesWord: false,
    many: /^--(?:collectCoverageFrom|coveragePathIgnorePatterns|coverageReporters|moduleDirectories|moduleFileExtensions|modulePathIgnorePatterns|modulePaths|projects|reporters|roots|selectProjects|ignoreProjects|setupFiles|setupFilesAfterEnv|snapshotSerializers|testMatch|testPathIgnorePatterns|testPathPatterns?|testRegex|transformIgnorePatterns|unmockedModulePathPatterns|watchPathIgnorePatterns)$/,
    never: /^(?:--watch|--watchAll|--listTests|--showConfig)$/,
    files:
      /^(?:--testPathPatterns?|--runTestsByPath|--findRelatedTests|--onlyChanged|-o|--lastCommit|--changedSince|--changedFilesWithAncestor|--onlyFailures|-f)$/,
    names: /^(?:--testNamePattern|-t)$/,
  },
  vitest: {
    listed:
      /^(?:--(?:allowOnly|browser\.headless|color|coverage|coverage\.enabled|disableConsoleIntercept|dom|expandSnapshotDiff|fileParallelism|globals|hideSkippedTests|isolate|logHeapUsage|open|passWithNoTests|printConsoleTrace|run|silent|standalone|typecheck|ui|update|watch)|-[uw])$/,
    takesWord: false,
    never: /^(?:--watch|-w|--ui|--open|--standalone|--run)$/,
    names: /^(?:--testNamePattern|-t)$/,
    files: /^--changed$/,
  },
  playwright: {
    listed:
      /^(?:--(?:config|global-timeout|grep|grep-invert|max-failures|only-changed|output|project|repeat-each|reporter|retries|shard|test-list|timeout|trace|tsconfig|ui-host|ui-port|update-snapshots|update-source-method|workers)|-[cgGj])$/,
    takesWord: true,
    never: /^--(?:reporter|ui|ui-host|ui-port|debug|list|headed)$/,
    files: /^--(?:only-changed|last-failed|test-list)$/,
    names: /^(?:--grep|-g|--grep-invert|-G|-gv)$/,
  },
  node: {
    listed:
      /^(?:--(?:import|require|loader|experimental-loader|conditions|env-file|env-file-if-exists|test-concurrency|test-name-pattern|test-skip-pattern|test-reporter|test-reporter-destination|test-timeout|test-shard|test-isolation|test-global-setup|experimental-test-isolation|test-coverage-(?:include|exclude|branches|functions|lines)|disable-warning|input-type|unhandled-rejections|dns-result-order|stack-trace-limit|title|watch-path|icu-data-dir|openssl-config|diagnostic-dir)|-r|-C)$/,
    takesWord: true,
    never: /^--(?:watch|watch-path|test-reporter|test-reporter-destination)$/,
    names: /^--test-(?:name|skip)-pattern$/,
  },
  bun: {
    listed:
      /^(?:--(?:timeout|rerun-each|retry|seed|coverage-reporter|coverage-dir|test-name-pattern|reporter|reporter-outfile|max-concurrency|path-ignore-patterns|shard|timings|parallel-delay|preload|require|import|env-file|cwd|config|define|loader|conditions|tsconfig-override)|-[trdc])$/,
    takesWord: true,
    never: /^--(?:watch|hot|reporter|reporter-outfile|dots|only-failures)$/,
    files: /^--changed$/,
    names: /^(?:--test-name-pattern|-t)$/,
  },
};

/** Which selections the tool call makes. They replace the script's own selections. */
interface Chosen {
  readonly files: boolean;
  readonly names: boolean;
}

/** Returns a script's words without options that keep the run from ending, and without selections that the tool call replaces. */
export function wordsFor(runner: ScriptRunner, words: readonly string[], chosen: Chosen): readonly string[] {
  const { never, files, names } = grammars[runner];
  return partsOf(grammars[runner], words).flatMap(({ option, words: part }) => {
    if (option === undefined) return chosen.files ? [] : part;
    if (never.test(option)) return [];
    if (chosen.files && files?.test(option) === true) return [];
    return chosen.names && names.test(option) ? [] : part;
  });
}

interface WordsPart {
  /** Name of the option; undefined if the word isn't an option. */
  readonly option: string | undefined;
  /** Words of the option and its values. */
  readonly words: readonly string[];
}

function partsOf({ listed, takesWord, many }: Grammar, words: readonly string[]): readonly WordsPart[] {
  const parts: WordsPart[] = [];
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? "";
    const isOption = /^-./.test(word);
    const option = isOption ? word.replace(/=.*/s, "") : undefined;
    const next = words.slice(at + 1).findIndex((one) => /^-./.test(one));
    const free = next === -1 ? words.length - at - 1 : next;
    let count = 0;
    if (option !== undefined && many?.test(option) === true) count = free;
    else if (option === word && !/^--no-/.test(option) && listed.test(option) === takesWord) count = Math.min(free, 1);
    parts.push({ option, words: words.slice(at, at + 1 + count) });
    at += 1 + count;
  }
  return parts;
}
