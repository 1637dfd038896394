import { parseShellWords } from "../../base/shell-words.js";

/** The runners of JavaScript that we know. */
export type ScriptRunner = "vitest" | "jest" | "mocha" | "playwright" | "node" | "bun";

type InstalledRunner = Exclude<ScriptRunner, "node" | "bun">;

/** What a test script says of how its runner is started. */
export interface TestScript {
  readonly runner: ScriptRunner;
  /** Options of Node itself, before the runner's program; for `node --test` all of them. */
  readonly nodeWords: readonly ScriptWord[];
  /** Of the runner; without the subcommand of vitest. */
  readonly words: readonly ScriptWord[];
  readonly env: Readonly<Record<string, string>>;
  /** What counts lines around the runner, and may fail a run whose tests all passed. */
  readonly counter?: LineCounter;
}

/** A program that measures coverage around a runner. */
export interface LineCounter {
  readonly name: "c8" | "nyc";
  /** Its options. What else it is told, such as the threshold, stands in its configuration. */
  readonly words: readonly string[];
}

/** One word of a script. */
export interface ScriptWord {
  readonly text: string;
  /** A pattern without quotes, which a shell makes paths of. */
  readonly isPattern: boolean;
}

/** Scripts that only run another one go no deeper. */
const maxDepth = 5;

/**
 * How `scripts[name]` of a package.json starts a runner, where it is one simple command of one that we know, or runs another
 * script that is; undefined where only a shell, or a program that we do not know, could say what it does.
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

/** Undefined where a shell would do more than split words, take quotes off and look for files. */
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

/** Programs that start a runner, with variables and options that it is not the same without. */
const startsRunner = /^(?:npx|bunx|npm|pnpm|yarn|cross-env|env|node|tsx)$/;

/** Without what only finds the runner, sets variables or counts lines. */
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
  // Its options come before what it runs; which of them take a word need not be known.
  const found = words.findIndex(({ text }) => runnerAt(text) !== undefined || startsRunner.test(text));
  const at = second?.startsWith("-") === true ? found : 1;
  if (at === -1) return { words, env };
  const counter: LineCounter = { name: first, words: words.slice(1, at).map(({ text }) => text) };
  return { ...withoutPrefix({ words: words.slice(at), env }), counter };
}

function fromPairs(pairs: readonly (readonly string[])[]): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.map(([name = "", value = ""]) => [name, value]));
}

/** The script that `npm run NAME` and the like run. */
function scriptRunBy([program, ...words]: readonly string[]): string | undefined {
  if (!/^(?:npm|pnpm|yarn|bun)$/.test(program ?? "")) return undefined;
  const [verb, name] = words;
  if ((verb === "run" || verb === "run-script") && words.length === 2) return name;
  // `bun test` is a runner, whatever scripts there are.
  const isRunner = program === "bun" && verb === "test";
  return program !== "npm" && words.length === 1 && !isRunner ? verb : undefined;
}

function runnerOf({ words, env }: SimpleCommand): TestScript | undefined {
  const [program, ...rest] = words;
  if (!program || rest.some(({ text }) => text === "--")) return undefined;
  const name = runnerAt(program.text);
  if (name !== undefined) return withRunner(name, [], rest, env);
  // Its own documentation says that this is the same.
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

/** `mocha`, `node_modules/.bin/mocha`, `./node_modules/mocha/bin/_mocha.js`. */
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
  // Playwright does more than tests.
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

/** The index of the first word that neither is an option nor belongs to one; the number of words without one. */
export function firstPositional(runner: ScriptRunner, words: readonly string[]): number {
  let at = 0;
  for (const part of partsOf(grammars[runner], words)) {
    if (part.option === undefined) break;
    at += part.words.length;
  }
  return at;
}

/** How a runner reads its words, as far as we have to know it. */
interface Grammar {
  /** Options that take no word, or others that do, whichever are fewer: see `takesWord`. */
  readonly listed: RegExp;
  /** Whether `listed` are those that take a word. */
  readonly takesWord: boolean;
  /** Options that take all words up to the next one. */
  readonly many?: RegExp;
  /** Options that would keep the run from ending, or from being read by our reporter. */
  readonly never: RegExp;
  /** Options that choose files: a call that names files chooses for itself. */
  readonly files?: RegExp;
  /** Options that choose tests by their names. */
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

/** What a call chooses itself, in place of the script. */
interface Chosen {
  readonly files: boolean;
  readonly names: boolean;
}

/** The words of a script without what would keep the run from ending, and without what the call chooses itself. */
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
  /** Undefined for a word that is no option. */
  readonly option: string | undefined;
  /** The option and its words. */
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
